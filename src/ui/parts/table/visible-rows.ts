/** Rows that are drawn beyond those that can be seen, on each side. */
const spare = 8

export interface Viewport {
  /** Pixels. */
  top: number
  height: number
  rowHeight: number
}

/** Which rows of a table are drawn, `to` not among them. */
export function visibleRows(
  count: number,
  { top, height, rowHeight }: Viewport,
): { from: number; to: number } {
  const first = Math.floor(Math.max(0, top) / rowHeight)
  const seen = Math.ceil(height / rowHeight)
  const from = Math.max(0, Math.min(first, count - seen) - spare)
  return { from, to: Math.min(count, first + seen + spare) }
}

/** Where a table has to be scrolled to so that a row is seen whole; where it is if that is so already. */
export function scrolledTo(position: number, { top, height, rowHeight }: Viewport): number {
  const start = position * rowHeight
  if (start < top) return start
  return Math.max(top, start + rowHeight - height)
}
