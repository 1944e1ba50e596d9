/** Additional rows rendered on each side of the visible ones. */
const spare = 8

export interface Viewport {
  /** In pixels. */
  top: number
  height: number
  rowHeight: number
}

/** Returns the range of rendered rows; `to` is exclusive. */
export function visibleRows(
  count: number,
  { top, height, rowHeight }: Viewport,
): { from: number; to: number } {
  const first = Math.floor(Math.max(0, top) / rowHeight)
  const seen = Math.ceil(height / rowHeight)
  const from = Math.max(0, Math.min(first, count - seen) - spare)
  return { from, to: Math.min(count, first + seen + spare) }
}

/** Returns the scroll position that makes a row fully visible; unchanged if it already is. */
export function scrolledTo(position: number, { top, height, rowHeight }: Viewport): number {
  const start = position * rowHeight
  if (start < top) return start
  return Math.max(top, start + rowHeight - height)
}
