import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../keys.js'
import { scrolledTo, visibleRows } from './visible-rows.js'

export interface Column<R> {
  title: string
  /** A track of a CSS grid: `1fr`, `8rem`. */
  width: string
  /** Hidden on narrow screens. */
  wide?: boolean
  /** A text that gets two lines unless the table is broad. */
  isText?: boolean
  cell: (row: R) => ComponentChildren
}

interface VirtualTableProps<R> {
  /** Description for screen readers. */
  label: string
  columns: readonly Column<R>[]
  /** Total number of rows; those near the visible ones are requested. */
  count: number
  /** Returns undefined for a row that is not loaded yet. */
  rowAt: (position: number) => R | undefined
  keyOf: (row: R) => string
  /** Receives the range of rendered rows, so that they can be loaded. */
  onNeed?: (from: number, to: number) => void
  /** Opens a row after `Enter`, `e` or a click. */
  onOpen: (row: R) => void
  selection?: { has: (row: R) => boolean; toggle: (row: R) => void }
}

const plainHeight = 36
const textHeight = 58
/** Up to this width texts have two lines; `lists.css` has the same number. */
const narrowRem = 72

/**
 * A table of any length that renders only visible rows. `j` and `k` move, `e` and `Enter` open, `x` selects.
 */
export function VirtualTable<R>(props: VirtualTableProps<R>) {
  const { label, columns, count, rowAt, keyOf, onNeed, onOpen, selection } = props
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const { height, isNarrow } = useSize(box)
  const rowHeight = isNarrow && columns.some(({ isText }) => isText) ? textHeight : plainHeight
  const { from, to } = visibleRows(count, { top, height, rowHeight })
  const { cursor, setCursor } = useCursor(props, box, rowHeight)
  useEffect(() => onNeed?.(from, to), [from, to, onNeed])
  const tracks = `${selection ? '2.25rem ' : ''}${columns.map(({ width }) => width).join(' ')}`
  const narrow = `${selection ? '2.25rem ' : ''}${columns
    .filter(({ wide }) => !wide)
    .map(({ width }) => width)
    .join(' ')}`
  const style = { '--tracks': tracks, '--narrow': narrow, '--row': `${rowHeight}px` }
  return (
    <div class="table" role="grid" aria-label={label} aria-rowcount={count + 1} style={style}>
      <div class="row head" role="row" aria-rowindex={1}>
        {selection && (
          <span role="columnheader">
            <span class="unseen">Selected</span>
          </span>
        )}
        {columns.map(({ title, wide }) => (
          <span key={title} role="columnheader" class={wide ? 'wide' : undefined}>
            {title}
          </span>
        ))}
      </div>
      <div
        class="rows"
        role="rowgroup"
        ref={box}
        tabIndex={0}
        onScroll={event => setTop(event.currentTarget.scrollTop)}
      >
        <div class="all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_none, step) => {
            const position = from + step
            const row = rowAt(position)
            return (
              <Row
                key={row ? keyOf(row) : position}
                {...{ row, position, columns, onOpen, selection, rowHeight }}
                isCurrent={position === cursor}
                onPoint={() => setCursor(position)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface RowProps<R> extends Pick<VirtualTableProps<R>, 'columns' | 'onOpen' | 'selection'> {
  row: R | undefined
  position: number
  rowHeight: number
  isCurrent: boolean
  onPoint: () => void
}

function Row<R>(props: RowProps<R>) {
  const { row, position, rowHeight, columns, onOpen, selection, isCurrent, onPoint } = props
  const isSelected = row !== undefined && selection?.has(row)
  return (
    <div
      role="row"
      class={isCurrent ? 'row current' : 'row'}
      aria-rowindex={position + 2}
      aria-current={isCurrent}
      aria-selected={isSelected}
      style={{ transform: `translateY(${position * rowHeight}px)` }}
      onClick={() => {
        onPoint()
        if (row !== undefined) onOpen(row)
      }}
    >
      {selection && (
        <span role="gridcell">
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label="Select"
              checked={isSelected}
              onClick={event => {
                event.stopPropagation()
                selection.toggle(row)
              }}
            />
          )}
        </span>
      )}
      {columns.map(({ title, wide, isText, cell }) => (
        <span key={title} role="gridcell" class={wide ? 'wide' : isText ? 'text' : undefined}>
          {row === undefined ? <span class="dim">…</span> : cell(row)}
        </span>
      ))}
    </div>
  )
}

function useSize(box: RefObject<HTMLDivElement | null>): { height: number; isNarrow: boolean } {
  const [height, setHeight] = useState(600)
  const [isNarrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    if (!box.current) return
    const element = box.current
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setHeight(element.clientHeight)
      setNarrow(element.clientWidth <= narrowRem * rem)
    }
    const watch = new ResizeObserver(measure)
    measure()
    watch.observe(element)
    return () => watch.disconnect()
  }, [box])
  return { height, isNarrow }
}

/** The current row for the keyboard. */
function useCursor<R>(
  { count, rowAt, onOpen, selection }: VirtualTableProps<R>,
  box: RefObject<HTMLDivElement | null>,
  rowHeight: number,
): { cursor: number; setCursor: (position: number) => void } {
  const [wanted, setCursor] = useState(0)
  const cursor = Math.max(0, Math.min(wanted, count - 1))
  const move = (by: number) => {
    const next = Math.max(0, Math.min(count - 1, cursor + by))
    setCursor(next)
    const element = box.current
    if (!element) return
    element.scrollTop = scrolledTo(next, { top: element.scrollTop, height: element.clientHeight, rowHeight })
  }
  const withRow = (act: (row: R) => void) => () => {
    const row = rowAt(cursor)
    if (row !== undefined) act(row)
  }
  useKeys([
    { key: 'j', does: 'Next row', run: () => move(1) },
    { key: 'k', does: 'Previous row', run: () => move(-1) },
    { key: 'e', does: 'Open the row', run: withRow(onOpen) },
    { key: 'Enter', does: 'Open the row', run: withRow(onOpen) },
    ...(selection ? [{ key: 'x', does: 'Select the row', run: withRow(selection.toggle) }] : []),
  ])
  return { cursor, setCursor }
}
