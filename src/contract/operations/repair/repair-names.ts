/** One repair: what its replies call it, and what it is for. */
export interface Repair {
  action: string
  summary: string
  /** It only counts. */
  isReading?: true
  /** Whether it asks a provider or reads much: then there is a pause between two calls. */
  isCostly?: true
}

/** Every repair by the last segment of its route, which is its name for `memory repair` too (operations.md 5). */
export const repairs = {
  'requeue-dead': {
    action: 'requeueDeadJobs',
    summary: 'jobs that failed for good get all their attempts again',
  },
  'release-leases': {
    action: 'releaseStaleLeases',
    summary: 'jobs whose workers hang go back to the queue',
  },
  'check-fts': {
    action: 'checkFtsConsistency',
    summary: 'the keyword index is compared with the memories, and mended',
  },
  'retention-sweep': { action: 'retention_sweep', summary: 'what is past its retention goes now' },
  'embedding-gaps': {
    action: 'embeddingGaps',
    summary: 'how many memories have no vector',
    isReading: true,
  },
  're-embed': {
    action: 'reembedMissingMemories',
    summary: 'memories without a vector, or with a damaged one, get one',
    isCostly: true,
  },
  're-embed-migration': {
    action: 'reembedModelMigration',
    summary: 'vectors that another model made are made anew',
    isCostly: true,
  },
  'clean-orphans': {
    action: 'cleanOrphanedEmbeddings',
    summary: 'vectors and other rows whose owner is gone are deleted',
  },
  'resync-vectors': { action: 'resyncVectorIndex', summary: 'vectors that the index lacks are put into it' },
  'dedup-stats': {
    action: 'dedupStats',
    summary: 'how many memories may be duplicates',
    isReading: true,
  },
  deduplicate: {
    action: 'deduplicateMemories',
    summary: 'memories that say the same become one',
    isCostly: true,
  },
  'relink-entities': {
    action: 'relink-entities',
    summary: 'memories are attached to the entities that they name',
  },
  'prune-generic-entities': {
    action: 'pruneGenericEntities',
    summary: 'entities whose names say nothing are taken out',
  },
} as const satisfies Readonly<Record<string, Repair>>

export type RepairName = keyof typeof repairs
