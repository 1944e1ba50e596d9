import { heldBy } from '../held.js'
import type { IndexFilter } from '../memory-index.js'
import {
  type EnumColumn,
  type EnumProperty,
  enumProperties,
  type LabelColumn,
  type NumberProperty,
  type RowColumns,
} from './row-columns.js'

type EnumTest = { eq?: string; in?: readonly string[]; exists?: boolean }
type NumberTest = { gte?: number; lte?: number }

/** A condition on rows in Orama's `where` grammar; `exists: false` (no value at all) is ours. */
export type Where = {
  and?: Where[]
  or?: Where[]
  not?: Where
  tags?: { containsAll: readonly string[] }
  held?: { containsAny: readonly string[] }
  pinned?: boolean
} & { [name in EnumProperty]?: EnumTest } & { [name in NumberProperty]?: NumberTest }

/**
 * The data boundary and the narrowing of one recall (spec 1, 1.3.2 to 1.3.4): never an archived row; with
 * `agents` only their rows, with `includeGlobal` also global rows of anybody.
 */
export function whereOf(filter: IndexFilter): Where {
  const all: Where[] = [seenBy(filter)]
  const { types, tags, who, project, scope, pinned, importanceMin, since, until } = filter
  if (types) all.push({ type: { in: types } })
  if (tags && tags.length > 0) all.push({ tags: { containsAll: tags } })
  if (who !== undefined) all.push({ who: { eq: who } })
  if (project !== undefined) all.push(orHeld({ project: { eq: project } }, [heldBy.project(project)]))
  if (scope !== undefined)
    all.push(orHeld({ scope: scope === null ? { exists: false } : { eq: scope } }, [heldBy.scope(scope)]))
  if (pinned !== undefined) all.push({ pinned })
  if (importanceMin !== undefined) all.push({ importance: { gte: importanceMin } })
  if (since !== undefined || until !== undefined) all.push({ createdAt: { gte: since, lte: until } })
  return { and: all }
}

function seenBy({ agents, includeGlobal }: IndexFilter): Where {
  const alive: Where = { not: { visibility: { eq: 'archived' } } }
  if (!agents) return alive
  const own: Where = { agentId: { in: agents } }
  const visible = includeGlobal ? { or: [own, { visibility: { eq: 'global' } }] } : own
  return orHeld({ and: [alive, visible] }, [
    ...agents.map(heldBy.agent),
    ...(includeGlobal ? [heldBy.anybody] : []),
  ])
}

/** By the first holder of a row or by another. */
function orHeld(first: Where, labels: readonly string[]): Where {
  return { or: [first, { held: { containsAny: labels } }] }
}

/** For rows `from` to before `to`: 1 where the condition holds. */
export function evaluate(where: Where, columns: RowColumns, from: number, to: number): Uint8Array {
  const result = new Uint8Array(to - from).fill(1)
  const keep = (part: Uint8Array) => {
    for (let i = 0; i < result.length; i++) result[i]! &= part[i]!
  }
  for (const part of where.and ?? []) keep(evaluate(part, columns, from, to))
  if (where.or) keep(anyOf(where.or, columns, from, to))
  if (where.not) keep(evaluate(where.not, columns, from, to).map(bit => bit ^ 1))
  for (const name of enumProperties) {
    const test = where[name]
    if (test) testEnum(test, columns.enums[name], from, result)
  }
  for (const name of ['importance', 'createdAt', 'change'] as const) {
    const test = where[name]
    if (test) testNumber(test, columns.numbers[name], from, result)
  }
  if (where.pinned !== undefined) testPinned(where.pinned, columns.pinned, from, result)
  if (where.tags) {
    const { containsAll } = where.tags
    const wanted = new Set(containsAll).size
    keep(labelCounts(containsAll, columns.tags, from, to).map(count => Number(count === wanted)))
  }
  if (where.held)
    keep(labelCounts(where.held.containsAny, columns.held, from, to).map(count => Number(count > 0)))
  return result
}

function anyOf(parts: readonly Where[], columns: RowColumns, from: number, to: number): Uint8Array {
  const result = new Uint8Array(to - from)
  for (const part of parts) {
    const bits = evaluate(part, columns, from, to)
    for (let i = 0; i < result.length; i++) result[i]! |= bits[i]!
  }
  return result
}

function testEnum(test: EnumTest, column: EnumColumn, from: number, result: Uint8Array): void {
  const { numbers, values } = column
  const wanted = test.eq === undefined ? test.in : [test.eq]
  const accepted = new Uint8Array(values.capacity)
  if (test.exists !== undefined) accepted.fill(Number(test.exists), 1)
  if (test.exists === false) accepted[0] = 1
  for (const value of wanted ?? []) accepted[values.get(value)] = 1
  if (wanted) accepted[0] = 0
  for (let i = 0; i < result.length; i++) result[i]! &= accepted[numbers[from + i]!]!
}

function testNumber(test: NumberTest, numbers: Float64Array, from: number, result: Uint8Array): void {
  const { gte = -Infinity, lte = Infinity } = test
  for (let i = 0; i < result.length; i++) {
    const value = numbers[from + i]!
    if (value < gte || value > lte) result[i] = 0
  }
}

function testPinned(pinned: boolean, column: Uint8Array, from: number, result: Uint8Array): void {
  const wanted = Number(pinned)
  for (let i = 0; i < result.length; i++) if (column[from + i] !== wanted) result[i] = 0
}

/** For rows `from` to before `to`: how many of the labels they have. */
function labelCounts(labels: readonly string[], column: LabelColumn, from: number, to: number): Uint8Array {
  const wanted = new Set(labels)
  const counts = new Uint8Array(to - from)
  if (to - from === 1) return counts.fill(column.get(from).filter(label => wanted.has(label)).length)
  for (const label of wanted) {
    for (const row of column.rows.values(column.labels.get(label)))
      if (row >= from && row < to) counts[row - from]!++
  }
  return counts
}
