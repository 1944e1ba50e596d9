import { createHash } from 'node:crypto'
import { AppError, notFound } from '../../../../contract/ground/errors.js'
import {
  type OneAtATime,
  type OneAtATimeEach,
  oneAtATime,
  oneAtATimeEach,
} from '../../../../lib/concurrency/one-at-a-time.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { Store } from '../../../../store/store.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { agentOf, type NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'

/** Locks of the imports of one daemon. */
export interface ImportLocks {
  /** Serialises the reservation of disk space. */
  admission: OneAtATime
  /** Each file has one writer. */
  file: OneAtATimeEach
  /** Running imports by id: aborting one stops it at its next read. */
  running: Map<string, AbortController>
}

const locks = createDaemonState<ImportLocks>()

/**
 * Returns the agent of a request; undefined if neither request nor credential names one.
 * @throws AppError `scope_violation` for a confined credential: imports contain conversations of any project
 * and user
 */
export function importAgent(caller: Caller, query: NamedAgent | undefined): string | undefined {
  const { project, user } = caller.access.scope
  if (project !== undefined || user !== undefined)
    throw new AppError(
      'scope_violation',
      `this credential is confined to one ${project === undefined ? 'user' : 'project'}; imports contain conversations of all`,
    )
  return agentOf(caller, query)
}

/**
 * Returns an import visible to the caller.
 * @throws AppError `not_found` if it is unknown or belongs to another agent
 */
export async function findImport(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  jobId: string,
): Promise<ImportRow> {
  const agent = importAgent(caller, query)
  const row = await store.tables.imports.find(jobId)
  if (!row || (agent !== undefined && row.agent_id !== agent))
    throw notFound(`import ${quoted(jobId)} not found`, 'see memory imports list')
  return row
}

/** @throws AppError `not_found` */
export async function findImportFile(
  { store }: Pick<Daemon, 'store'>,
  { id }: Pick<ImportRow, 'id'>,
  fileId: string,
): Promise<ImportFileRow> {
  const row = await store.tables.importFiles.find(id, fileId)
  if (!row) throw new AppError('not_found', `the import ${id} has no file ${quoted(fileId)}`)
  return row
}

export function locksOf(daemon: { store: Store }): ImportLocks {
  return locks.ofOrMade(daemon, () => ({
    admission: oneAtATime(),
    file: oneAtATimeEach(),
    running: new Map(),
  }))
}

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
