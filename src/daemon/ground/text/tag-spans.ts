const opening = String.raw`(?:<|&(?:amp;)*lt;|\\u003c)`
const tagEnd = />|&(?:amp;)*gt;|\\u003e/giu

export interface ElementRules {
  /** True if elements nest; otherwise the first closing tag ends them. */
  nests: boolean
  /**
   * True if an unclosed element extends to the end of the text, decided by its opening tag; otherwise it
   * stays.
   */
  dropsUnclosed(tag: string): boolean
}

/** A tag and its position. */
export interface Tag {
  start: number
  end: number
  kind: 'open' | 'close' | 'empty'
}

/**
 * Matches the tags of one name: in any case, with attributes, and as escaped by agents (`&lt;`, `\u003c`).
 * @param name of the element, as a regular expression that matches no white space.
 */
export function tagPattern(name: string): RegExp {
  return new RegExp(String.raw`${opening}(\\?/)?(?:${name})(?![\w:.-])`, 'giu')
}

/**
 * Removes the elements whose tags `pattern` matches. Linear in the length. The texts around an element are
 * kept apart, so that they never form a new tag; this makes it idempotent.
 */
export function withoutElements(text: string, pattern: RegExp, rules: ElementRules): string {
  const cuts: { start: number; end: number }[] = []
  let depth = 0
  let opened: Tag | undefined
  let unclosed: Tag | undefined
  for (const tag of tagsIn(text, pattern)) {
    if (tag.kind === 'close' && depth === 0) continue
    opened ??= tag
    if (tag.kind === 'open') {
      depth = rules.nests ? depth + 1 : 1
      if (!unclosed && rules.dropsUnclosed(text.slice(tag.start, tag.end))) unclosed = tag
    } else if (tag.kind === 'close') depth--
    if (depth > 0) continue
    cuts.push({ start: opened.start, end: tag.end })
    opened = undefined
    unclosed = undefined
  }
  if (unclosed) cuts.push({ start: unclosed.start, end: text.length })
  return withoutCuts(text, cuts)
}

/** Removes ranges and puts white space in their place. @param cuts in ascending order. */
export function withoutCuts(text: string, cuts: readonly { start: number; end: number }[]): string {
  if (cuts.length === 0) return text
  const kept: string[] = []
  let from = 0
  for (const { start, end } of [...cuts, { start: text.length, end: text.length }]) {
    if (start > from) {
      if (kept.length > 0 && !/\s$/u.test(lastOf(kept)) && !/\s/u.test(text.charAt(from))) kept.push(' ')
      kept.push(text.slice(from, start))
    }
    from = end
  }
  return kept.join('')
}

function lastOf(pieces: readonly string[]): string {
  return pieces.at(-1)?.slice(-1) ?? ''
}

/** Finds the tags of a pattern. An unterminated one extends to the end of the text. */
export function* tagsIn(text: string, pattern: RegExp): Generator<Tag> {
  let endOfLast = 0
  for (const match of text.matchAll(pattern)) {
    // A match inside another tag's attributes is not a tag.
    if (match.index < endOfLast) continue
    const { start, end } = findTagEnd(text, match.index + match[0].length)
    endOfLast = end
    const closing = match[1] !== undefined
    const empty = !closing && text[start - 1] === '/'
    yield { start: match.index, end, kind: closing ? 'close' : empty ? 'empty' : 'open' }
  }
}

function findTagEnd(text: string, from: number): { start: number; end: number } {
  tagEnd.lastIndex = from
  const found = tagEnd.exec(text)
  const start = found?.index ?? text.length
  return { start, end: start + (found?.[0].length ?? 0) }
}
