import type { Reply } from '../../contract/api.js'
import { sourceProducts } from '../../contract/ground/wire-names.js'

export type Source = Reply<'GET /api/sources'>['sources'][number]
export type IndexJob = NonNullable<Source['indexJob']>

/** Display names of the source kinds. */
export const kindNames: Readonly<Record<Source['kind'], string>> = { ...sourceProducts, import: 'import' }

const activeStatuses = new Set<IndexJob['status'] | undefined>(['queued', 'running'])

/** Returns true if a source is being read or queued. */
export function isReading({ indexJob }: Source): boolean {
  return activeStatuses.has(indexJob?.status)
}

/** Describes the job of a source in a few words; a running one also has a progress bar. */
export function jobWords({ kind, indexJob: job }: Pick<Source, 'kind' | 'indexJob'>): string {
  // Imported files are read before the source exists.
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

/** Describes problems of a source, one sentence each; empty for a healthy source. */
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
