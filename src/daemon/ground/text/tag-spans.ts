const opening = String.raw`(?:<|&(?:amp;)*lt;|\\u003c)`
const tagEnd = />|&(?:amp;)*gt;|\\u003e/giu

export interface ElementRules {
  /** Whether an element may hold others of its name; otherwise its first closing tag ends it. */
  nests: boolean
  /** Whether an element that is never closed takes the rest of the text with it, by its opening tag; if not, it stays. */
  dropsUnclosed(tag: string): boolean
}

/** Where a tag stands in a text. */
interface Tag {
  start: number
  end: number
  kind: 'open' | 'close' | 'empty'
}

/**
 * Finds the tags of one name: in any case, with attributes, and as a harness may have escaped them (`&lt;`, `\u003c`).
 * @param name of the element, as a regular expression that matches no white space.
 */
export function tagPattern(name: string): RegExp {
  return new RegExp(String.raw`${opening}(\\?/)?(?:${name})(?![\w:.-])`, 'giu')
}

/**
 * The text without the elements whose tags `pattern` finds. Linear in the length. What stood on both sides of an
 * element never joins, so that no new tag comes about and a second pass changes nothing.
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

/** How many more of the elements a text opens than it closes. */
export function netTags(text: string, pattern: RegExp): number {
  let net = 0
  for (const { kind } of tagsIn(text, pattern)) if (kind !== 'empty') net += kind === 'open' ? 1 : -1
  return net
}

/** @param cuts in their order; between what they leave stands white space. */
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

/** A tag that has no end reaches to the end of the text. */
function* tagsIn(text: string, pattern: RegExp): Generator<Tag> {
  let endOfLast = 0
  for (const match of text.matchAll(pattern)) {
    // A name inside the attributes of another tag is no tag.
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
