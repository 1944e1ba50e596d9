import { inSlices, runToEnd } from '../../../lib/concurrency/every-few-ms.js'

/** White space other than a single space. */
const uneven = /\s{2,}|[^\S ]/gu
/** A number of characters and the white space behind them. */
const piece = /([0-9a-z]*)(\s+)/uy
/** Runs of white space between two steps. */
const runsOfStep = 4096
const shortLength = 4096

/**
 * Returns how the white space of a given text differs from its content, which has one space for each run
 * (rules.md 1.1.6): for each such run, the characters before it in base 36, and the run itself. A run without
 * a number is the indentation of the first line.
 * @param prefix length of the prefixes in the storage content. @returns null when nothing differs.
 */
export async function layoutOf(
  given: string,
  prefix: number,
  breathe: () => Promise<void> | undefined,
): Promise<string | null> {
  const steps = layoutSteps(given, prefix)
  return given.length <= shortLength ? runToEnd(steps) : inSlices(steps, breathe)
}

function* layoutSteps(given: string, prefix: number): Generator<undefined, string | null> {
  const start = given.length - given.trimStart().length
  const end = given.trimEnd().length
  const parts: string[] = []
  let before = prefix === 0 ? given.slice(0, start) : ''
  let lost = start + prefix
  let last = 0
  let runs = 0
  for (const { index, 0: run } of given.matchAll(uneven)) {
    if (index >= end) break
    if (++runs % runsOfStep === 0) yield
    if (index < start) continue
    const at = index - lost
    lost += run.length - 1
    if (at < 0) {
      before = at === -1 && run.includes('\n') ? run : ''
      continue
    }
    parts.push((at - last).toString(36), run)
    last = at + 1
  }
  if (parts.length === 0) return null
  const hasLines = parts.some(part => part.includes('\n'))
  return (hasLines ? before.slice(before.lastIndexOf('\n') + 1) : '') + parts.join('')
}

/** Returns the text as it was given; undefined when it is the content, or the layout is of another text. */
export function verbatimOf({
  content,
  layout,
}: {
  content: string
  layout: string | null
}): string | undefined {
  if (layout === null) return undefined
  const parts: string[] = []
  let at = 0
  for (piece.lastIndex = 0; piece.lastIndex < layout.length; ) {
    const found = piece.exec(layout)
    if (!found) return undefined
    const [, number = '', run = ''] = found
    if (number === '') {
      if (at > 0 || parts.length > 0) return undefined
      parts.push(run)
      continue
    }
    const next = at + Number.parseInt(number, 36)
    // The beginning of a content has fewer places than its layout.
    if (next >= content.length) break
    if (content[next] !== ' ') return undefined
    parts.push(content.slice(at, next), run)
    at = next + 1
  }
  return parts.join('') + content.slice(at)
}
