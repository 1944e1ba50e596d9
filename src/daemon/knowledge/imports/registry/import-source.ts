import { createHash } from 'node:crypto'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** The id of the source that an import is. */
export function sourceIdOf({ id }: Pick<ImportRow, 'id'>): string {
  return `import:${createHash('sha256').update(`transcripts\0${id}`).digest('hex').slice(0, 32)}`
}

/** Registers an import as a source, once. @returns its id. */
export async function registerSource({ store }: Pick<Daemon, 'store'>, job: ImportRow): Promise<string> {
  const sourceId = sourceIdOf(job)
  if (job.source_id === null) await store.tables.imports.update(job.id, { source_id: sourceId })
  return sourceId
}

/** Asks for a look at what a batch brought, in its transaction: one attention a batch. */
export async function noteBatch(
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
