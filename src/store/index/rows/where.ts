import type { LabelTest, NumberTest, ValueTest } from '../collection.js'
import { FlagColumn, type LabelColumn, NumberColumn, ValueColumn } from './columns.js'
import type { RowColumns } from './row-columns.js'

/** A `Where` of any collection. */
export interface AnyWhere {
  readonly [part: string]: unknown
}

/** Clears the marks of those rows that a condition keeps out; the first mark is that of row `from`. */
export type Condition = (from: number, marks: Uint8Array) => void

/**
 * The condition over these columns, which are looked up here and not while rows are scanned.
 * @throws RangeError when one of them is not in the schema.
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
      const held = new Uint8Array(marks.length).fill(1)
      part(from, held)
      for (let i = 0; i < any.length; i++) any[i]! |= held[i]!
    }
    for (let i = 0; i < marks.length; i++) marks[i]! &= any[i]!
  }
}

function noneOf(part: Condition): Condition {
  return (from, marks) => {
    const held = new Uint8Array(marks.length).fill(1)
    part(from, held)
    for (let i = 0; i < marks.length; i++) marks[i]! &= held[i]! ^ 1
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
    for (let i = 0; i < marks.length; i++) marks[i]! &= accepted[numbers[from + i]!]!
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
    for (const { labels, least } of tests) {
      const counts = labelCounts(labels, column, from, from + marks.length)
      for (let i = 0; i < marks.length; i++) if (counts[i]! < least) marks[i] = 0
    }
  }
}

/** For rows `from` to before `to`: how many of the labels they have. */
function labelCounts(labels: ReadonlySet<string>, column: LabelColumn, from: number, to: number): Uint8Array {
  const counts = new Uint8Array(to - from)
  if (to - from === 1) return counts.fill(column.get(from).filter(label => labels.has(label)).length)
  for (const label of labels) {
    for (const row of column.rows.values(column.labels.get(label)))
      if (row >= from && row < to) counts[row - from]!++
  }
  return counts
}
