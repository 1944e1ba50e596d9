import type { Collection, Entry, Where } from '../collection.js'

/** What the index knows of one chunk of an artifact. */
export interface ArtifactEntry extends Entry {
  agentId: string
  sourceId: string
  /** Kind of the source. */
  kind: string
  who: string | null
  /** Milliseconds since the epoch: when the artifact was changed in its source. */
  updatedAt: number
}

/** Chunks of these agents' sources; a missing field does not restrict. */
export interface ArtifactEntryFilter {
  agents: readonly string[]
  sourceId?: string
  kind?: string
  /** Milliseconds, inclusive. */
  since?: number
  until?: number
}

/** What was read of sources, by words and by vectors. */
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
