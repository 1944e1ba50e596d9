import type { Collection, Entry, Where } from '../collection.js'

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
  where: whereOf,
}

function whereOf(filter?: ArtifactEntryFilter): Where<ArtifactEntry> {
  if (!filter) return {}
  const { agents, sourceId, kind, since, until } = filter
  return {
    agentId: { in: agents },
    ...(sourceId !== undefined && { sourceId: { eq: sourceId } }),
    ...(kind !== undefined && { kind: { eq: kind } }),
    ...((since !== undefined || until !== undefined) && { updatedAt: { gte: since, lte: until } }),
  }
}
