import type { Reply } from '../../contract/api.js'
import { sourceProducts } from '../../contract/ground/wire-names.js'

export type Source = Reply<'GET /api/sources'>['sources'][number]
export type IndexJob = NonNullable<Source['indexJob']>

/** What people call the kinds of sources. */
export const kindNames: Readonly<Record<Source['kind'], string>> = { ...sourceProducts, import: 'import' }

const isAtWork = new Set<IndexJob['status'] | undefined>(['queued', 'running'])

/** Whether a source is being read, or waits for it. */
export function isReading({ indexJob }: Source): boolean {
  return isAtWork.has(indexJob?.status)
}

/** How the reading of a source stands, in a few words; the bar of one that runs says the rest. */
export function jobWords({ kind, indexJob: job }: Pick<Source, 'kind' | 'indexJob'>): string {
  // Files that are imported are read once, before there is a source.
  if (!job) return kind === 'import' ? 'imported' : 'not read yet'
  const { status, pauseReason, partial, statusMessage } = job
  if (status === 'queued') return 'waits to be read'
  if (status === 'running') return 'reading'
  if (status === 'paused')
    return pauseReason === 'requested'
      ? 'paused'
      : `paused (${pauseReason?.replaceAll('_', ' ') ?? 'it goes on by itself'})`
  if (status === 'failed') return statusMessage ?? 'failed'
  return partial ? 'read in part' : 'read'
}

/** What is to be known of the condition of a source, a sentence each; nothing while all is well. */
export function conditionWords({ health, indexJob, stats }: Source): string[] {
  const missing = Math.round((1 - health.chunkCoverage) * stats.artifacts)
  const lasting = health.failures.total - health.failures.recoverable
  return [
    ...(health.error ? [health.error] : []),
    ...health.permission.issues.map(({ path, guidance }) => `${path}: ${guidance}`),
    ...(indexJob?.status === 'paused' && indexJob.pauseReason !== 'requested'
      ? ['Its reading is paused and goes on by itself; Resume does so now.']
      : []),
    ...(missing > 0 ? [`Read and not found by a search yet: ${missing}.`] : []),
    ...(lasting > 0 ? [`Not read until somebody changes them: ${lasting}.`] : []),
    ...(health.checkpoints.stale > 0 ? [`Places not moved on for a week: ${health.checkpoints.stale}.`] : []),
    ...(health.purge.deletedArtifacts > 0 ? [`Being taken away: ${health.purge.deletedArtifacts}.`] : []),
    ...health.notes,
  ]
}
