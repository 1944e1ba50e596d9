import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../schema.js'

/** Which rows a reader may see at all: the one data boundary of every read (spec 1, 1.3.1). */
export interface ReadBoundary {
  /** Rows of these agents are visible, private ones included. */
  agents: readonly string[]
  /** Global rows of these agents are visible too. */
  globalOf: 'all' | readonly string[]
  /** Of those only rows of this project and this author: what a credential is confined to (spec 1, 5.4). */
  only?: { project?: string | undefined; who?: string | undefined }
}

/** Restrictions inside the boundary; a missing field does not restrict (spec 1, 1.3.3 and 1.3.4). */
export interface MemoryFilter {
  ids?: readonly string[]
  types?: readonly string[]
  /** Every one of them must be present. */
  tags?: readonly string[]
  who?: string
  sourceType?: string
  project?: string
  /** null: rows without a scope only. */
  scope?: string | null
  pinned?: boolean
  importanceMin?: number
  /** Only rows whose safety verdict this is. */
  safety?: 'clean'
  /** Only rows that have a vector, of whatever model. */
  embedded?: true
  /** Only rows that nothing has replaced. */
  superseded?: false
  /** ISO timestamps, inclusive. */
  since?: string
  until?: string
  time?: TimeRange
  sessionId?: string
}

export type TimeFacet = 'captured' | 'session' | 'source' | 'observed' | 'occurred' | 'valid'

/** Rows of which one of the facets lies between two ISO timestamps, inclusive; an open end does not restrict. */
export interface TimeRange {
  start?: string | undefined
  end?: string | undefined
  facets: readonly TimeFacet[]
}

type Memories = ExpressionBuilder<Schema, 'memories'>

/** A row that is alive and inside the boundary; archived rows of removed agents are in nobody's. */
export function inBoundary(eb: Memories, { agents, globalOf, only }: ReadBoundary): Expression<SqlBool> {
  const visible = [eb('agent_id', 'in', [...agents])]
  if (globalOf === 'all') visible.push(eb('visibility', '=', 'global'))
  else if (globalOf.length > 0)
    visible.push(eb.and([eb('visibility', '=', 'global'), eb('agent_id', 'in', [...globalOf])]) as never)
  const all = [eb('visibility', '!=', 'archived'), eb.or(visible)]
  if (only?.project !== undefined) all.push(eb('project', '=', only.project))
  if (only?.who !== undefined) all.push(eb('who', '=', only.who))
  return eb.and(all)
}

export function matchesFilter(eb: Memories, filter: MemoryFilter): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = []
  if (filter.ids) all.push(eb('id', 'in', [...filter.ids]))
  if (filter.types) all.push(eb('type', 'in', [...filter.types]))
  for (const tag of filter.tags ?? []) all.push(sql<SqlBool>`instr(',' || tags || ',', ${`,${tag},`}) > 0`)
  if (filter.who !== undefined) all.push(eb('who', '=', filter.who))
  if (filter.sourceType !== undefined) all.push(eb('source_type', '=', filter.sourceType))
  if (filter.project !== undefined) all.push(eb('project', '=', filter.project))
  if (filter.scope === null) all.push(eb('scope', 'is', null))
  else if (filter.scope !== undefined) all.push(eb('scope', '=', filter.scope))
  if (filter.pinned !== undefined) all.push(eb('pinned', '=', filter.pinned ? 1 : 0))
  if (filter.importanceMin !== undefined) all.push(eb('importance', '>=', filter.importanceMin))
  if (filter.safety !== undefined) all.push(eb('safety_status', '=', filter.safety))
  if (filter.embedded) all.push(eb('embedding_model', 'is not', null))
  if (filter.superseded === false) all.push(eb('superseded_by', 'is', null))
  if (filter.since !== undefined) all.push(eb('created_at', '>=', filter.since))
  if (filter.until !== undefined) all.push(eb('created_at', '<=', filter.until))
  if (filter.sessionId !== undefined) all.push(eb('session_id', '=', filter.sessionId))
  const { time } = filter
  if (time) all.push(eb.or(time.facets.map(facet => liesIn(eb, facet, time))))
  return eb.and(all)
}

const columns = {
  captured: 'created_at',
  session: 'created_at',
  source: 'source_created_at',
  observed: 'observed_at',
  occurred: 'occurred_at',
} as const

/** A missing time lies nowhere; a period of validity lies in the range when the two overlap. */
function liesIn(eb: Memories, facet: TimeFacet, { start, end }: TimeRange): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = []
  if (facet === 'valid') {
    all.push(eb.or([eb('valid_from', 'is not', null), eb('valid_until', 'is not', null)]))
    if (end) all.push(eb.or([eb('valid_from', 'is', null), eb('valid_from', '<=', end)]))
    if (start) all.push(eb.or([eb('valid_until', 'is', null), eb('valid_until', '>=', start)]))
    return eb.and(all)
  }
  all.push(eb(columns[facet], 'is not', null))
  if (facet === 'session') all.push(eb('session_id', 'is not', null))
  if (start) all.push(eb(columns[facet], '>=', start))
  if (end) all.push(eb(columns[facet], '<=', end))
  return eb.and(all)
}
