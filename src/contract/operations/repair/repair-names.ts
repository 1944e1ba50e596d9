/** A repair with its action name in replies and its purpose. */
export interface Repair {
  action: string
  summary: string
  /** It only counts. */
  isReading?: true
  /** It calls a provider or reads much, so a pause between calls is required. */
  isCostly?: true
}

/** All repairs by the last segment of their route, which `memory repair` uses too (operations.md 5). */
export const repairs = {
  'requeue-dead': {
    action: 'requeueDeadJobs',
    summary: 'retry failed jobs with all their attempts',
  },
  'release-leases': {
    action: 'releaseStaleLeases',
    summary: 'return jobs of hanging workers to the queue',
  },
  'check-fts': {
    action: 'checkFtsConsistency',
    summary: 'compare the keyword index with the memories and repair it',
  },
  'retention-sweep': { action: 'retention_sweep', summary: 'delete data past its retention period' },
  'embedding-gaps': {
    action: 'embeddingGaps',
    summary: 'count memories without a vector',
    isReading: true,
  },
  're-embed': {
    action: 'reembedMissingMemories',
    summary: 'embed memories whose vector is missing or damaged',
    isCostly: true,
  },
  're-embed-migration': {
    action: 'reembedModelMigration',
    summary: 'embed memories again whose vector is from another model',
    isCostly: true,
  },
  'clean-orphans': {
    action: 'cleanOrphanedEmbeddings',
    summary: 'delete vectors and other rows without an owner',
  },
  'resync-vectors': { action: 'resyncVectorIndex', summary: 'add missing vectors to the index' },
  'dedup-stats': {
    action: 'dedupStats',
    summary: 'count possible duplicates',
    isReading: true,
  },
  deduplicate: {
    action: 'deduplicateMemories',
    summary: 'merge duplicate memories',
    isCostly: true,
  },
  'relink-entities': {
    action: 'relink-entities',
    summary: 'link memories to the entities they name',
  },
  'prune-generic-entities': {
    action: 'pruneGenericEntities',
    summary: 'remove meaningless entities',
  },
} as const satisfies Readonly<Record<string, Repair>>

export type RepairName = keyof typeof repairs
