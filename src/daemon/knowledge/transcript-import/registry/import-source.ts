import { createHash } from 'node:crypto'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** Returns the source id of an import. */
export function sourceIdOf({ id }: Pick<ImportRow, 'id'>): string {
  return `import:${createHash('sha256').update(`transcripts\0${id}`).digest('hex').slice(0, 32)}`
}

/** Registers an import as a source, once, in the transaction that seals its first file. */
export async function registerSource(
  { clock }: Pick<Daemon, 'clock'>,
  { sources, imports }: Pick<Tables, 'sources' | 'imports'>,
  job: ImportRow,
): Promise<void> {
  if (job.source_id !== null) return
  const id = sourceIdOf(job)
  const now = clock().toISOString()
  await sources.insert({
    id,
    agent_id: job.agent_id,
    kind: 'import',
    name: job.name ?? `transcripts (${job.adapter})`,
    root: `transcripts/${job.id}`,
    settings: JSON.stringify({ transcripts: job.id }),
    exclude_globs: '[]',
    created_by: job.created_by,
    created_at: now,
    updated_at: now,
  })
  await imports.update(job.id, { source_id: id })
}

/** Adds an attention for new evidence, one per batch, in the batch's transaction. */
export async function requestReview(
  { clock, newId }: Pick<Daemon, 'clock' | 'newId'>,
  { attentions }: Pick<Tables, 'attentions'>,
  job: ImportRow,
): Promise<void> {
  await attentions.add({
    id: newId(),
    agent_id: job.agent_id,
    subject_kind: 'source',
    subject: `${sourceIdOf(job)}#${job.batches + 1}`,
    kind: 'new_evidence',
    detail: null,
    created_at: clock().toISOString(),
  })
}
