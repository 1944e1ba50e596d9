import type { LabelTest, NumberTest, ValueTest } from '../collection.js'
import { FlagColumn, type LabelColumn, NumberColumn, type RowColumns, ValueColumn } from './columns.js'

/** A `Where` of any collection. */
export interface AnyWhere {
  readonly [part: string]: unknown
}

/** Clears the marks of rows that fail the condition; the first mark belongs to row `from`. */
export type Condition = (from: number, marks: Uint8Array) => void

/**
 * Compiles a condition; columns are looked up now rather than during the scan.
 * @throws RangeError for a column missing in the schema.
 */
export function conditionOf(where: AnyWhere, columns: RowColumns): Condition {
  const parts = Object.entries(where)
    .filter(([, test]) => test !== undefined)
    .map(([name, test]) => partOf(name, test, columns))
  return (from, marks) => {
    for (const part of parts) part(from, marks)
  }
}

function partOf(name: string, test: unknown, columns: RowColumns): Condition {
  const inner = () => (test as AnyWhere[]).map(part => conditionOf(part, columns))
  if (name === 'and') return allOf(inner())
  if (name === 'or') return anyOf(inner())
  if (name === 'not') return noneOf(conditionOf(test as AnyWhere, columns))
  const column = columns.of(name)
  if (column instanceof ValueColumn) return byValue(test as ValueTest, column)
  if (column instanceof NumberColumn) return byNumber(test as NumberTest, column)
  if (column instanceof FlagColumn) return byFlag(test as boolean, column)
  return byLabels(test as LabelTest, column)
}

function allOf(parts: readonly Condition[]): Condition {
  return (from, marks) => {
    for (const part of parts) part(from, marks)
  }
}

function anyOf(parts: readonly Condition[]): Condition {
  return (from, marks) => {
    const any = new Uint8Array(marks.length)
    for (const part of parts) {
      const held = marks.slice()
      part(from, held)
      addMarks(any, held)
    }
    marks.set(any)
  }
}

function noneOf(part: Condition): Condition {
  return (from, marks) => {
    const held = marks.slice()
    part(from, held)
    clearMarks(marks, held)
  }
}

function byValue(test: ValueTest, column: ValueColumn): Condition {
  const wanted = test.eq === undefined ? test.in : [test.eq]
  return (from, marks) => {
    const { numbers, values } = column
    const accepted = new Uint8Array(values.capacity)
    if (test.exists !== undefined) accepted.fill(Number(test.exists), 1)
    if (test.exists === false) accepted[0] = 1
    for (const value of wanted ?? []) accepted[values.get(value)] = 1
    if (wanted) accepted[0] = 0
    keepAccepted(marks, numbers, from, accepted)
  }
}

function byNumber({ gte = -Infinity, lte = Infinity }: NumberTest, column: NumberColumn): Condition {
  return (from, marks) => {
    const { numbers } = column
    for (let i = 0; i < marks.length; i++) {
      const value = numbers[from + i]!
      if (value < gte || value > lte) marks[i] = 0
    }
  }
}

function byFlag(test: boolean, column: FlagColumn): Condition {
  const wanted = Number(test)
  return (from, marks) => {
    const { numbers } = column
    for (let i = 0; i < marks.length; i++) if (numbers[from + i] !== wanted) marks[i] = 0
  }
}

function byLabels({ containsAll, containsAny }: LabelTest, column: LabelColumn): Condition {
  const tests = [
    ...(containsAll ? [{ labels: new Set(containsAll), least: new Set(containsAll).size }] : []),
    ...(containsAny ? [{ labels: new Set(containsAny), least: 1 }] : []),
  ]
  return (from, marks) => {
    for (const { labels, least } of tests) marks.set(rowsWith(labels, column, { from, marks, least }))
  }
}

/** Marked rows with at least this many of the labels. */
function rowsWith(
  labels: ReadonlySet<string>,
  column: LabelColumn,
  { from, marks, least }: { from: number; marks: Uint8Array; least: number },
): Uint8Array {
  const counts = new Uint8Array(marks.length)
  const kept = new Uint8Array(marks.length)
  if (least === 0) kept.set(marks)
  const count = (at: number) => {
    if (++counts[at]! === least) kept[at] = marks[at]!
  }
  if (marks.length === 1) {
    for (const label of column.get(from)) if (labels.has(label)) count(0)
    return kept
  }
  for (const label of labels)
    for (const row of column.rows.values(column.labels.get(label)))
      if (row >= from && row < from + marks.length) count(row - from)
  return kept
}

/*
 * Marks are bytes of 0 or 1 in arrays aligned to four bytes, so that four are processed together. Loops are
 * separate functions with one array type each, which V8 compiles sooner during the first search after a
 * start.
 */
function wordsOf(marks: Uint8Array): Uint32Array {
  return new Uint32Array(marks.buffer, marks.byteOffset, marks.length >>> 2)
}

/** Sets every mark that is set in `others`, of the same length. */
export function addMarks(marks: Uint8Array, others: Uint8Array): void {
  const [words, theirs] = [wordsOf(marks), wordsOf(others)]
  for (let i = 0; i < words.length; i++) words[i]! |= theirs[i]!
  for (let i = words.length * 4; i < marks.length; i++) marks[i]! |= others[i]!
}

/** Clears every mark that is set in `others`, of the same length. */
export function clearMarks(marks: Uint8Array, others: Uint8Array): void {
  const [words, theirs] = [wordsOf(marks), wordsOf(others)]
  for (let i = 0; i < words.length; i++) words[i]! &= ~theirs[i]!
  for (let i = words.length * 4; i < marks.length; i++) marks[i]! &= ~others[i]!
}

/** Clears marks of rows whose number is not accepted; the first mark belongs to row `from`. */
function keepAccepted(marks: Uint8Array, numbers: Uint32Array, from: number, accepted: Uint8Array): void {
  for (let i = 0; i < marks.length; i++) marks[i]! &= accepted[numbers[from + i]!]!
}

/** Counts the set marks. */
export function countMarks(marks: Uint8Array): number {
  const words = wordsOf(marks)
  let count = 0
  // The highest byte of the product is the sum of all four.
  for (let i = 0; i < words.length; i++) count += Math.imul(words[i]!, 0x01010101) >>> 24
  for (let i = words.length * 4; i < marks.length; i++) count += marks[i]!
  return count
}
