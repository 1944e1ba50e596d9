import type { Holder } from '../tables/memory/holders.js'
import type { Collection, Entry, HintedEntry, Where } from './collection.js'

/** Index entry of one memory. */
export interface MemoryEntry extends HintedEntry {
  type: string
  tags: readonly string[]
  who: string | null
  project: string | null
  scope: string | null
  agentId: string
  visibility: string
  pinned: boolean
  importance: number
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Shared by rows of one conversation or file; null for other memories. */
  session: string | null
  /** `holderLabels` of all holders but the first, whose fields are above. */
  held?: readonly string[] | undefined
}

/**
 * Filters applied before scoring; missing fields do not restrict (recall.md 1.3.3 and 1.3.4). Agent, project
 * and scope may each match another holder of a row: SQL later checks the combination.
 */
export interface MemoryEntryFilter {
  types?: readonly string[]
  /** Excludes chunks of documents, unless `types` includes them. */
  chunks?: false
  /** All of these must be present. */
  tags?: readonly string[]
  who?: string
  /** All keys of a project. */
  projects?: readonly string[]
  /** With `projects`, also rows of no project; without, only these. */
  orNoProject?: true
  /** null: only rows without a scope (recall.md 1.3.3). */
  scope?: string | null
  /** Rows of these agents with any visibility but `archived`. */
  agents?: readonly string[]
  /** Also rows of other agents with visibility `global`. */
  includeGlobal?: boolean
  pinned?: boolean
  importanceMin?: number
  /** Milliseconds, inclusive. */
  since?: number
  until?: number
}

/** Memories, searched by words, hints and vectors, with their conversations. */
export const memories: Collection<MemoryEntry, MemoryEntryFilter> = {
  schema: {
    name: 'memories',
    hints: true,
    columns: {
      type: 'value',
      tags: 'labels',
      who: 'value',
      project: 'value',
      scope: 'value',
      agentId: 'value',
      visibility: 'value',
      pinned: 'flag',
      importance: 'number',
      createdAt: 'number',
      session: 'value',
      held: 'labels',
    },
    author: 'who',
    sessions: { key: 'session', time: 'createdAt' },
  },
  where: whereOf,
}

/** Index entry of one chunk of a transcript. */
export interface TranscriptEntry extends Entry {
  agentId: string
  project: string | null
}

/** Chunks of one agent, optionally of one project. */
export interface TranscriptEntryFilter {
  agentId: string
  /** All keys of a project. */
  projects?: readonly string[]
  /** With `projects`, also chunks of no project; without, only these. */
  orNoProject?: true
}

/** Session transcripts, searched by words only. */
export const transcripts: Collection<TranscriptEntry, TranscriptEntryFilter> = {
  schema: { name: 'transcripts', hints: false, columns: { agentId: 'value', project: 'value' } },
  where: filter => (filter ? { and: [{ agentId: { eq: filter.agentId } }, inProject(filter)] } : {}),
}

/** Index entry of one chunk of an artifact. */
export interface ArtifactEntry extends Entry {
  agentId: string
  sourceId: string
  /** Kind of the source. */
  kind: string
  who: string | null
  /** When the artifact changed in its source, in milliseconds since the epoch. */
  updatedAt: number
}

/** Chunks of these agents' sources; missing fields do not restrict. */
export interface ArtifactEntryFilter {
  agents: readonly string[]
  sourceId?: string
  kind?: string
  /** Milliseconds, inclusive. */
  since?: number
  until?: number
}

/** Passages of sources, searched by words and vectors. */
export const artifacts: Collection<ArtifactEntry, ArtifactEntryFilter> = {
  schema: {
    name: 'artifacts',
    hints: false,
    columns: { agentId: 'value', sourceId: 'value', kind: 'value', who: 'value', updatedAt: 'number' },
    author: 'who',
  },
  where: artifactsWhere,
}

/**
 * The boundary and filters of one recall (recall.md 1.3.2 to 1.3.4): never archived rows; with `agents` only
 * their rows, with `includeGlobal` also global rows of other agents.
 */
function whereOf(filter: MemoryEntryFilter = {}): Where<MemoryEntry> {
  const all: Where<MemoryEntry>[] = [seenBy(filter)]
  const { types, chunks, tags, who, projects, orNoProject, scope, pinned, importanceMin, since, until } =
    filter
  if (types) all.push({ type: { in: types } })
  else if (chunks === false) all.push({ not: { type: { eq: 'document_chunk' } } })
  if (tags && tags.length > 0) all.push({ tags: { containsAll: tags } })
  if (who !== undefined) all.push({ who: { eq: who } })
  if (orNoProject)
    // A further holder without a project has no label for it. Each has one for its scope, and SQL decides.
    all.push({
      or: [
        ...(projects ? [{ project: { in: projects } }] : []),
        { project: { exists: false } },
        { held: { containsAny: [heldBy.scope(null), ...(projects ?? []).map(heldBy.project)] } },
      ],
    })
  else if (projects) all.push(orHeld({ project: { in: projects } }, projects.map(heldBy.project)))
  if (scope !== undefined)
    all.push(orHeld({ scope: scope === null ? { exists: false } : { eq: scope } }, [heldBy.scope(scope)]))
  if (pinned !== undefined) all.push({ pinned })
  if (importanceMin !== undefined) all.push({ importance: { gte: importanceMin } })
  if (since !== undefined || until !== undefined) all.push({ createdAt: { gte: since, lte: until } })
  return { and: all }
}

function seenBy({ agents, includeGlobal }: MemoryEntryFilter): Where<MemoryEntry> {
  const alive: Where<MemoryEntry> = { not: { visibility: { eq: 'archived' } } }
  if (!agents) return alive
  const own: Where<MemoryEntry> = { agentId: { in: agents } }
  const visible = includeGlobal ? { or: [own, { visibility: { eq: 'global' } }] } : own
  return orHeld({ and: [alive, visible] }, [
    ...agents.map(heldBy.agent),
    ...(includeGlobal ? [heldBy.anybody] : []),
  ])
}

/** Matches the first holder of a row or any other. */
function orHeld(first: Where<MemoryEntry>, labels: readonly string[]): Where<MemoryEntry> {
  return { or: [first, { held: { containsAny: labels } }] }
}

/** Labels of a memory's other holders, used in filters beside its own columns. */
export function holderLabels(holders: readonly Omit<Holder, 'held_at'>[]): string[] {
  return [
    ...new Set(
      holders.flatMap(({ agent_id, project, scope, visibility }) => [
        heldBy.agent(agent_id),
        heldBy.scope(scope),
        ...(project === null ? [] : [heldBy.project(project)]),
        ...(visibility === 'global' ? [heldBy.anybody] : []),
      ]),
    ),
  ]
}

/** Label formats; labels of different kinds never collide. */
const heldBy = {
  anybody: 'all',
  agent: (id: string) => `agent ${id}`,
  project: (name: string) => `project ${name}`,
  scope: (name: string | null) => (name === null ? 'scope' : `scope ${name}`),
}

function inProject({ projects, orNoProject }: TranscriptEntryFilter): Where<TranscriptEntry> {
  const named: Where<TranscriptEntry> = projects ? { project: { in: projects } } : {}
  if (!orNoProject) return named
  const none: Where<TranscriptEntry> = { project: { exists: false } }
  return projects ? { or: [named, none] } : none
}

function artifactsWhere(filter?: ArtifactEntryFilter): Where<ArtifactEntry> {
  if (!filter) return {}
  const { agents, sourceId, kind, since, until } = filter
  return {
    agentId: { in: agents },
    ...(sourceId !== undefined && { sourceId: { eq: sourceId } }),
    ...(kind !== undefined && { kind: { eq: kind } }),
    ...((since !== undefined || until !== undefined) && { updatedAt: { gte: since, lte: until } }),
  }
}
