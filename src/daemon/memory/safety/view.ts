/** One reading of a piece of text, prepared for matching; the stored content is never altered. */
export interface View {
  text: string
  /** False for decoded text: what somebody encoded is meant, so quotation marks excuse nothing there. */
  quotes: boolean
  /** Ranges of fenced code blocks as [start, end) offsets into `text`, in order. */
  fences: readonly (readonly [number, number])[]
}

/** @param text folded text; `quotes` says whether a quoted attack may count as talk about an attack. */
export function createView(text: string, options: { quotes: boolean }): View {
  return { text, quotes: options.quotes, fences: options.quotes ? fencedRanges(text) : [] }
}

/** Whether an offset lies inside a fenced code block. */
export function isFenced(view: View, offset: number): boolean {
  let low = 0
  let high = view.fences.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (view.fences[middle]![1] <= offset) low = middle + 1
    else high = middle
  }
  const range = view.fences[low]
  return range !== undefined && range[0] <= offset
}

function fencedRanges(text: string): [number, number][] {
  if (!text.includes('```')) return []
  const marks = [...text.matchAll(/^ {0,3}```/gm)].map(mark => mark.index)
  const ranges: [number, number][] = []
  for (let mark = 0; mark + 1 < marks.length; mark += 2) ranges.push([marks[mark]!, marks[mark + 1]!])
  return ranges
}
