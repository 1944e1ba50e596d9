import { type Tag, tagPattern, tagsIn, withoutCuts } from './tag-spans.js'

/** A span may take a backtick along, after which other parts are code. */
const maxPasses = 10
const privateTag = tagPattern('private')
const reminderTag = tagPattern('system-reminder')

/** The private parts that a text lost, for its sender. */
export interface PrivateCut {
  parts: number
  characters: number
  /** Opening tags without an end, which hide nothing. */
  unclosed: number
}

interface OpenTag extends Tag {
  /** End of a closing tag in code, which ends the span if no other one does. */
  softEnd?: number
}

export interface TextRange {
  start: number
  end: number
}

const fence = /^ {0,3}(`{3,}|~{3,})/u

/**
 * Removes `<private>...</private>` in any case, nested, with attributes or escaped. A tag in code or without
 * an end is text. Linear in the length and idempotent.
 * @param cut is increased by what is removed
 */
export function withoutPrivate(text: string, cut = noCut()): string {
  let rest = text
  let left = 0
  for (let pass = 0; pass < maxPasses; pass++) {
    const { spans, unclosed } = spansOf(rest, privateTag)
    left = unclosed
    if (spans.length === 0) break
    cut.parts += spans.length
    cut.characters += spans.reduce((sum, { start, end }) => sum + end - start, 0)
    rest = withoutCuts(rest, spans)
  }
  cut.unclosed += left
  return rest
}

/** The outermost elements in ascending order, and the number of openings without an end. */
function spansOf(
  text: string,
  pattern: RegExp,
): { spans: { start: number; end: number }[]; unclosed: number } {
  const pairs: { start: number; end: number }[] = []
  const open: OpenTag[] = []
  let unclosed = 0
  for (const { tag, isCode } of markedTags(text, pattern)) {
    if (tag.kind === 'empty') {
      if (!isCode) pairs.push({ start: tag.start, end: tag.end })
    } else if (tag.kind === 'open') {
      if (!isCode) open.push(tag)
    } else if (isCode) {
      const last = open.at(-1)
      if (last) last.softEnd = tag.end
    } else {
      const opened = open.pop()
      if (opened) pairs.push({ start: opened.start, end: tag.end })
    }
  }
  for (const { start, softEnd } of open) {
    if (softEnd === undefined) unclosed++
    else pairs.push({ start, end: softEnd })
  }
  return { spans: outermost(pairs), unclosed }
}

/** Drops ranges inside others, and joins those that overlap. */
function outermost(pairs: { start: number; end: number }[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  for (const pair of pairs.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && pair.start < last.end) last.end = Math.max(last.end, pair.end)
    else spans.push({ ...pair })
  }
  return spans
}

function* markedTags(text: string, pattern: RegExp): Generator<{ tag: OpenTag; isCode: boolean }> {
  // Most texts have no tag, so their code need not be found.
  let ranges: readonly { start: number; end: number }[] | undefined
  let at = 0
  for (const tag of tagsIn(text, pattern)) {
    ranges ??= codeRanges(text)
    while (at < ranges.length && (ranges[at]?.end ?? 0) <= tag.start) at++
    const range = ranges[at]
    yield { tag, isCode: range !== undefined && range.start <= tag.start && tag.end <= range.end }
  }
}

/** Removes reminders that a coding agent inserts into texts, by the rules of private spans. */
export function withoutReminders(text: string): string {
  return text.includes('system-reminder') ? withoutCuts(text, spansOf(text, reminderTag).spans) : text
}

/** The number of private spans opened minus those closed. */
export function netPrivateTags(text: string): number {
  let net = 0
  for (const { tag, isCode } of markedTags(text, privateTag))
    if (tag.kind !== 'empty' && !isCode) net += tag.kind === 'open' ? 1 : -1
  return net
}

/** Removes private spans from every string in a JSON value. @param cut is increased by what is removed. */
export function withoutPrivateTexts<T>(value: T, cut = noCut()): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return withoutPrivate(part, cut)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [withoutPrivate(key, cut), clean(inner)]),
    )
  }
  return clean(value) as T
}

export function noCut(): PrivateCut {
  return { parts: 0, characters: 0, unclosed: 0 }
}

/**
 * Returns the Markdown code of a text in ascending order: fenced blocks, and inline code within one line. A
 * fence without an end is text, so that a lost one hides nothing. Linear in the length.
 */
function codeRanges(text: string): TextRange[] {
  if (!text.includes('`') && !text.includes('~~~')) return []
  const ranges: TextRange[] = []
  let inline: TextRange[] = []
  let opened: { start: number; mark: string } | undefined
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline + 1
    const line = text.slice(from, end)
    const mark = fence.exec(line)?.[1]
    if (opened && mark?.startsWith(opened.mark) && line.trim() === mark) {
      ranges.push({ start: opened.start, end })
      inline = []
      opened = undefined
    } else if (!opened && mark) {
      opened = { start: from, mark }
    } else (opened ? inline : ranges).push(...inlineCode(line, from))
    from = end
  }
  return [...ranges, ...inline]
}

/** Inline code ends with as many backticks as it begins with. */
function inlineCode(line: string, offset: number): TextRange[] {
  const starts: number[] = []
  const lengths: number[] = []
  for (let at = line.indexOf('`'); at >= 0; ) {
    let end = at + 1
    while (line[end] === '`') end++
    starts.push(at)
    lengths.push(end - at)
    at = line.indexOf('`', end)
  }
  const last = new Map(lengths.map((length, run) => [length, run]))
  const ranges: TextRange[] = []
  for (let run = 0; run < starts.length; run++) {
    const length = lengths[run] as number
    if ((last.get(length) ?? 0) <= run) continue
    const start = starts[run] as number
    do run++
    while (lengths[run] !== length)
    ranges.push({ start: offset + start, end: offset + (starts[run] as number) + length })
  }
  return ranges
}
