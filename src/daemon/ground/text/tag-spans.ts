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

/** Elements that hooks add to a session's context, outermost first. */
const injectedElements = [
  'service-memory-context',
  'service-entity-context',
  'service-peer-messages',
  'service-notifications',
]
const injectedTags = injectedElements.map(tagPattern)

/** Our own elements have a version attribute; texts about them rarely do. */
const versioned = /\sversion\s*=/iu

const sectionHeading = /^[ \t>|]*##[ \t]+Relevant Entity Context[ \t]*$/imu
/** Lines of a section: list items, indented lines below them, and empty ones. */
const sectionLine = /^[ \t>|]*(?:$|[-*][ \t]|[ \t]{2,}\S)/u

/** Passes over one text, so that a made-up nesting costs no more than a multiple of its length. */
const maxPasses = 10

/**
 * Removes context that the service itself added to a session, so that recalled text is never captured as new:
 * envelopes and their sections, including escaped or indented ones. A truncated envelope extends to the end.
 * A removed element may have contained the opening of another, so passes repeat until one changes nothing.
 */
export function withoutRecalled(text: string): string {
  let rest = text
  for (let pass = 0; pass < maxPasses; pass++) {
    const left = removeOnce(rest)
    if (left === rest) break
    rest = left
  }
  return rest
}

function removeOnce(text: string): string {
  const plain = injectedTags.reduce(
    (rest, tag) =>
      withoutElements(rest, tag, { nests: false, dropsUnclosed: opening => versioned.test(opening) }),
    text,
  )
  return sectionHeading.test(plain) ? withoutSections(plain) : plain
}

/** Removes entity sections outside of any envelope. */
function withoutSections(text: string): string {
  const cuts: { start: number; end: number }[] = []
  let inside = false
  let start = 0
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline + 1
    const line = text.slice(from, newline < 0 ? text.length : newline).replace(/\r$/u, '')
    if (sectionHeading.test(line)) {
      if (!inside) start = from
      inside = true
    } else if (inside && !sectionLine.test(line)) {
      cuts.push({ start, end: from })
      inside = false
    }
    from = end
  }
  if (inside) cuts.push({ start, end: text.length })
  return withoutCuts(text, cuts)
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
function withoutElements(text: string, pattern: RegExp, rules: ElementRules): string {
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
