import { countOf } from '../../../lib/text/count-of.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import { findSourceRow, reachesSources } from '../../knowledge/sources/core/find-source.js'
import { ifThere, moments, type ReadEvents } from './subject.js'

/** When it was handed over, and how its reading ended. */
export const documentEvents: ReadEvents = async (deps, { caller, id, named }) => {
  const row = await deps.store.tables.documents.find(id, await readBoundary(deps, caller, named))
  if (!row) return undefined
  return moments([
    [row.created_at, 'document.created', 'handed over', `by ${row.created_by}; ${row.source_type}`],
    [row.completed_at, 'document.done', 'read', countOf(row.chunk_count, 'chunk')],
    [row.status === 'done' ? null : row.updated_at, `document.${row.status}`, row.status, ''],
  ])
}

/** When it was added, read, found for the first time and removed, and where its reading stands. */
export const sourceEvents: ReadEvents = async (deps, { caller, id, named }) => {
  if (!reachesSources(caller)) return undefined
  const row = await ifThere(() => findSourceRow(deps, caller, { id, named }))
  if (!row) return undefined
  const job = await deps.store.tables.sourceJobs.of(row.id)
  const read = job ? `pass ${row.pass}; ${job.scanned} looked at, ${job.indexed} read` : ''
  return moments([
    [row.created_at, 'source.created', 'added', `by ${row.created_by}; ${row.kind}`],
    [job?.queued_at, 'source.queued', 'reading asked for', `${countOf(job?.requests ?? 0, 'time')} in all`],
    [job?.started_at, 'source.started', 'reading began', `pass ${row.pass}`],
    [job?.ended_at, `source.${job?.status}`, `reading ${job?.status}`, read],
    [row.last_indexed_at, 'source.indexed', 'read to its end', countOf(row.artifacts, 'artifact')],
    [row.recalled_at, 'source.recalled', 'found for the first time', ''],
    [row.removed_at, 'source.removed', 'removed', `${countOf(row.purged, 'artifact')} gone since`],
  ])
}
