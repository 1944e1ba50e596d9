import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { contains, listOf, rowNumber } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import type { Holder } from './holders.js'

/** The rows a reader may see at all: the one access boundary of every read (recall.md 1.3.1). */
export interface ReadBoundary {
  /** All rows of these agents are visible, private ones included. */
  agents: readonly string[]
  /** Global rows of these agents are visible too. */
  globalOf: 'all' | readonly string[]
  /** Further limits the rows to the project and author of a credential (security.md 5.4). */
  only?: {
    project?: string | undefined
    /** All keys of that project. */
    projectKeys?: readonly string[] | undefined
    who?: string | undefined
  }
}

/** Restrictions within the boundary; a missing field does not restrict (recall.md 1.3.3 and 1.3.4). */
export interface MemoryFilter {
  /** Only memories that expired by this time. */
  expiredBy?: string
  ids?: readonly string[]
  /** Without these. */
  except?: readonly string[]
  /** Only rows that are older than this time and that no recall found since. */
  unusedSince?: string
  types?: readonly string[]
  /** Excludes chunks of documents, unless `types` includes them. */
  chunks?: false
  /** All of them must be present. */
  tags?: readonly string[]
  who?: string
  sourceType?: string
  /** Only chunks of this document. */
  document?: string
  project?: string
  /** With `project`, also rows of no project; without, only these. */
  orNoProject?: true
  /** Only memories that this agent has. */
  agent?: string
  /** null selects only rows without a scope. */
  scope?: string | null
  pinned?: boolean
  importanceMin?: number
  /** Only rows with this safety verdict. */
  safety?: 'clean' | 'tainted' | 'blocked'
  /** Only rows with a vector, of any model. */
  embedded?: true
  /** Selects forgotten rows instead of live ones; used by lists only. */
  deleted?: true
  /** Only rows that were not replaced. */
  superseded?: false
  /** ISO timestamps, inclusive. */
  since?: string
  until?: string
  time?: TimeRange
  sessionId?: string
  /** Only rows saved on this git branch. */
  branch?: string
  branches?: BranchFilter
  /** Only rows with this `memory_kind`. */
  kind?: string
}

/** A branch, and a commit of it on which a memory was saved. */
export interface BranchCommit {
  branch: string
  commit: string
}

/** Hides rows of a project that were saved on other branches (projects.md#branches). */
export interface BranchFilter {
  project: string
  /** Branches whose rows are shown. */
  names: readonly string[]
  /** Commits of other branches that were merged into the default branch. */
  merged: readonly BranchCommit[]
}

/** The type of memories that are chunks of documents; users cannot save it. */
export const chunkType = 'document_chunk'

export type TimeFacet = 'captured' | 'session' | 'source' | 'observed' | 'occurred' | 'valid'

/**
 * Matches rows with one of the facets between two ISO times, inclusive; a missing bound does not restrict.
 */
export interface TimeRange {
  start?: string | undefined
  end?: string | undefined
  facets: readonly TimeFacet[]
}

type Memories = ExpressionBuilder<Schema, 'memories'>

type HolderFilter = Pick<MemoryFilter, 'project' | 'orNoProject' | 'scope' | 'agent'>

/** Columns that reveal the origin of a memory. */
const originColumns = ['session_id', 'source_id', 'source_path', 'runtime_path', 'idempotency_key'] as const

type HolderColumns = Pick<Selectable<MemoriesTable>, 'agent_id' | 'project' | 'visibility'>

/**
 * Removes the origin unless the reader may know the first holder, whose save it describes (rules.md#holders).
 */
export function withOriginFor<Row extends HolderColumns>(row: Row, boundary: ReadBoundary): Row {
  return isVisibleTo(boundary, row) ? row : withoutOrigin(row)
}

/** Applies both restrictions: the origin, and the project in which the reader sees the row. */
export function restrictForReader<Row extends HolderColumns>(row: Row, boundary: ReadBoundary): Row {
  return restrictProject(withOriginFor(row, boundary), boundary)
}

export function withoutOrigin<Row extends object>(row: Row): Row {
  const nothing = originColumns.filter(column => column in row).map(column => [column, null])
  return { ...row, ...Object.fromEntries(nothing) }
}

/** Matches rows visible through one of their holders; archived rows are outside every boundary. */
export function inBoundary(eb: Memories, boundary: ReadBoundary): Expression<SqlBool> {
  return inSelection(eb, boundary, {})
}

/**
 * Matches rows inside the boundary that meet all restrictions. Agent, project and scope must match on the
 * same holder. Further holders are looked up only for rows that have some and whose first holder does not
 * match.
 */
export function inSelection(
  eb: Memories,
  boundary: ReadBoundary | undefined,
  filter: MemoryFilter,
): Expression<SqlBool> {
  const further = sql<SqlBool>`EXISTS (SELECT 1 FROM memory_holders h
    WHERE h.memory_id = memories.id AND ${matchesHolder('h', boundary, filter)})`
  const held = sql<SqlBool>`(${matchesHolder('memories', boundary, filter)} OR further_holders > 0 AND ${further})`
  const all = [held, ...restrictions(eb, filter)]
  if (boundary?.only?.who !== undefined) all.push(eb('who', '=', boundary.only.who))
  return eb.and(all)
}

/** Matches a row of `memories` by its first holder, or a row of `memory_holders` (`h`, `other`). */
export function matchesHolder(
  table: 'memories' | 'h' | 'other',
  boundary: ReadBoundary | undefined,
  { project, orNoProject, scope, agent }: HolderFilter = {},
): RawBuilder<SqlBool> {
  const column = (name: keyof Holder) => sql.ref(`${table}.${name}`)
  const all: RawBuilder<SqlBool>[] = boundary ? [visibleIn(column, boundary)] : []
  const within = boundary?.only?.project
  if (within !== undefined) all.push(sameProject(column('project'), within))
  if (project !== undefined && orNoProject)
    all.push(sql`(${column('project')} IS NULL OR ${sameProject(column('project'), project)})`)
  else if (project !== undefined) all.push(sameProject(column('project'), project))
  else if (orNoProject) all.push(sql`${column('project')} IS NULL`)
  if (agent !== undefined) all.push(sql`${column('agent_id')} = ${agent}`)
  if (scope === null) all.push(sql`${column('scope')} IS NULL`)
  else if (scope !== undefined) all.push(sql`${column('scope')} = ${scope}`)
  return all.length > 0 ? sql`(${sql.join(all, sql` AND `)})` : sql`TRUE`
}

/** Matches only the first of several further holders in the same project, so that a memory counts once. */
export function countsOnce(boundary: ReadBoundary): RawBuilder<SqlBool> {
  return sql`NOT EXISTS (SELECT 1 FROM memory_holders other WHERE other.memory_id = h.memory_id
    AND other.project IS NOT DISTINCT FROM h.project AND other.scope IS NULL AND ${rowNumber('other')} < ${rowNumber('h')} AND ${matchesHolder('other', boundary)})`
}

/** Returns the row as the reader sees it: a credential confined to a project sees that project only. */
export function restrictProject<Row extends { project: string | null }>(
  row: Row,
  { only }: ReadBoundary,
): Row {
  return only?.project === undefined ? row : { ...row, project: only.project }
}

/** The project that a credential is confined to, with all its keys; absent fields do not confine. */
export interface ProjectConfinement {
  project?: string | undefined
  projectKeys?: readonly string[] | undefined
}

/** Returns whether a row may be seen with a credential: its key is one of the project's. */
export function isWithinProject(
  key: string | null,
  { project, projectKeys = [] }: ProjectConfinement,
): boolean {
  return project === undefined || (key !== null && (key === project || projectKeys.includes(key)))
}

/** Returns whether a reader may know this holder; the same rule as `matchesHolder` in SQL. */
export function isVisibleTo(
  { agents, globalOf, only }: ReadBoundary,
  { agent_id, project, visibility }: Pick<Holder, 'agent_id' | 'project' | 'visibility'>,
): boolean {
  if (visibility === 'archived') return false
  if (only && !isWithinProject(project, only)) return false
  if (agents.includes(agent_id)) return true
  return visibility === 'global' && (globalOf === 'all' || globalOf.includes(agent_id))
}

function visibleIn(
  column: (name: keyof Holder) => RawBuilder<unknown>,
  { agents, globalOf }: ReadBoundary,
): RawBuilder<SqlBool> {
  const isGlobal = sql`${column('visibility')} = 'global'`
  const own = agents.length > 0 ? sql`${column('agent_id')} IN (${sql.join(agents)})` : sql`FALSE`
  // A group may have a thousand members; one list parameter keeps the statement prepared.
  const others =
    globalOf === 'all' ? isGlobal : sql`${isGlobal} AND ${column('agent_id')} IN ${listOf(globalOf)}`
  const visible = globalOf.length > 0 ? sql`(${own} OR ${others})` : own
  return sql`${column('visibility')} <> 'archived' AND ${visible}`
}

/** Restrictions other than agent, project and scope, which belong to holders. */
function restrictions(eb: Memories, filter: MemoryFilter): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = []
  if (filter.ids) all.push(eb('id', 'in', [...filter.ids]))
  if (filter.types) all.push(eb('type', 'in', [...filter.types]))
  else if (filter.chunks === false) all.push(eb('type', '<>', sql.lit(chunkType)))
  for (const tag of filter.tags ?? []) all.push(contains(sql`',' || tags || ','`, `,${tag},`))
  if (filter.who !== undefined) all.push(eb('who', '=', filter.who))
  if (filter.sourceType !== undefined) all.push(eb('source_type', '=', filter.sourceType))
  if (filter.document !== undefined)
    all.push(sql<SqlBool>`EXISTS (SELECT 1 FROM document_chunks c
      WHERE c.memory_id = memories.id AND c.document_id = ${filter.document})`)
  if (filter.pinned !== undefined) all.push(eb('pinned', '=', filter.pinned ? 1 : 0))
  if (filter.importanceMin !== undefined) all.push(eb('importance', '>=', filter.importanceMin))
  if (filter.safety !== undefined) all.push(eb('safety_status', '=', filter.safety))
  if (filter.embedded) all.push(eb('embedding_model', 'is not', null))
  if (filter.unusedSince !== undefined)
    all.push(
      eb('created_at', '<', filter.unusedSince),
      sql<SqlBool>`(last_accessed IS NULL OR last_accessed < ${filter.unusedSince})`,
      sql<SqlBool>`NOT EXISTS (SELECT 1 FROM memory_accesses a
        WHERE a.memory_id = memories.id AND a.last_at >= ${filter.unusedSince})`,
    )
  if (filter.except && filter.except.length > 0) all.push(sql<SqlBool>`id NOT IN ${listOf(filter.except)}`)
  if (filter.superseded === false) all.push(eb('superseded_by', 'is', null))
  if (filter.since !== undefined) all.push(eb('created_at', '>=', filter.since))
  if (filter.until !== undefined) all.push(eb('created_at', '<=', filter.until))
  if (filter.sessionId !== undefined) all.push(eb('session_id', '=', filter.sessionId))
  if (filter.branch !== undefined) all.push(eb('branch', '=', filter.branch))
  if (filter.kind !== undefined) all.push(eb('memory_kind', '=', filter.kind))
  if (filter.expiredBy !== undefined) all.push(sql<SqlBool>`expires_at <= ${filter.expiredBy} AND pinned = 0`)
  if (filter.branches) all.push(matchesBranches('memories', filter.branches))
  const { time } = filter
  if (time) all.push(eb.or(time.facets.map(facet => liesIn(eb, facet, time))))
  return all
}

/**
 * Matches rows of the branches shown, of none, and of other projects.
 * @param table `memories` or its alias.
 */
export function matchesBranches(
  table: string,
  { project, names, merged }: BranchFilter,
): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const commits = merged.map(({ branch, commit }) => `${branch} ${commit}`)
  return sql<SqlBool>`(${column('branch')} IS NULL OR ${column('branch')} IN ${listOf(names)}
    OR ${column('branch')} || ' ' || ${column('commit_id')} IN ${listOf(commits)}
    OR ${column('project')} IS NULL OR NOT ${sameProject(column('project'), project)})`
}

const columns = {
  captured: 'created_at',
  session: 'created_at',
  source: 'source_created_at',
  observed: 'observed_at',
  occurred: 'occurred_at',
} as const

/** A missing time never matches; a validity period matches when it overlaps the range. */
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
