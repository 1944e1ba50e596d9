import { Readable } from 'node:stream'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import * as files from '../../../contract/knowledge/import-files.js'
import type { ImportControlReply } from '../../../contract/knowledge/imports.js'
import * as contract from '../../../contract/knowledge/imports.js'
import type { TranscriptExportQuery } from '../../../contract/knowledge/transcript-export.js'
import * as exporting from '../../../contract/knowledge/transcript-export.js'
import type { ImportRow } from '../../../store/tables/knowledge/imports.js'
import type {
  StoredMessage,
  TranscriptCursor,
  TranscriptRow,
} from '../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../store/tables/tables.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import type { NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { importJob } from './import-worker.js'
import {
  createImport,
  importDetails,
  listImports,
  reconciliationOf,
  rejectionsOf,
  toImport,
} from './read-imports.js'
import { findImport, importAgent, locksOf } from './registry/registry.js'
import type { UploadDestination } from './uploads/append.js'
import { fileContent, finalizeFile } from './uploads/finalize.js'
import { cleanUpUploads, resetFile } from './uploads/reset.js'
import { emptyChain } from './uploads/stored-bytes.js'
import { uploadPart, uploadStream } from './uploads/upload.js'
import { assertHere } from './uploads/uploads-here.js'

interface ImportInput {
  caller: Caller
  params: { jobId: string }
  query: NamedAgent
}

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'newId' | 'wake' | 'log'>

type ExportTranscriptsDeps = Pick<Daemon, 'store' | 'budget'>

/** Conversations per query. */
const pageSize = 50

const lines = { begin: '', between: '', after: '\n', end: '' }
const list = { begin: '[', between: ',', after: '', end: ']' }

/**
 * Returns the import of a request.
 * @throws AppError `not_found`
 */
const importOf = (daemon: Daemon, { caller, params, query }: ImportInput) =>
  findImport(daemon, caller, query, params.jobId)

/** Also respects the agent named in the body (imports.md#states). */
const importOfBody = (daemon: Daemon, { body, query, ...asked }: ImportInput & { body: NamedAgent }) =>
  importOf(daemon, { ...asked, query: { ...query, ...body } })

/**
 * Returns the destination of an upload.
 * @throws AppError `not_found`
 */
const destinationOf = async (
  daemon: Daemon,
  input: ImportInput & { params: { fileId: string } },
): Promise<UploadDestination> => ({
  job: await importOf(daemon, input),
  fileId: input.params.fileId,
  isElsewhere: !isOnThisMachine(input.caller),
})

export const routes = [
  route(contract.createImport, (daemon, { caller, body }) => createImport(daemon, caller, body)),
  route(contract.listImports, (daemon, { caller, query }) => listImports(daemon, caller, query)),
  route(contract.getImport, async (daemon, input) => importDetails(daemon, await importOf(daemon, input))),
  route(files.putImportFile, async (daemon, input) =>
    uploadStream(daemon, await destinationOf(daemon, input), input),
  ),
  route(files.patchImportFile, async (daemon, input) =>
    uploadPart(daemon, await destinationOf(daemon, input), input),
  ),
  route(files.finalizeImportFile, async (daemon, input) =>
    finalizeFile(daemon, await importOfBody(daemon, input), input.params.fileId),
  ),
  route(files.resetImportFile, async (daemon, input) => {
    const { fileId } = input.params
    const generation = input.headers['upload-generation']
    return resetFile(daemon, await importOfBody(daemon, input), { fileId, generation })
  }),
  route(files.importFileContent, async (daemon, input) =>
    fileContent(daemon, await importOf(daemon, input), input.params.fileId),
  ),
  route(contract.startImport, async (daemon, input) =>
    startImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.pauseImport, async (daemon, input) =>
    pauseImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.resumeImport, async (daemon, input) =>
    resumeImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.retryImport, async (daemon, input) =>
    retryImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.cancelImport, async (daemon, input) =>
    cancelImport(daemon, await importOfBody(daemon, input)),
  ),
  route(contract.importRejections, async (daemon, input) =>
    rejectionsOf(daemon, await importOf(daemon, input), input.query.cursor),
  ),
  route(contract.importReconciliation, async (daemon, input) =>
    reconciliationOf(await importOf(daemon, input)),
  ),
  route(exporting.exportTranscripts, async (daemon, { caller, query }) =>
    exportTranscripts(daemon, caller, query),
  ),
]

/**
 * Queues an import.
 * @throws AppError `conflict` without files, while a file is not sealed, or where another daemon has them
 */
function startImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['staging'], async ({ importFiles }) => {
    const files = await importFiles.of(job.id)
    const open = files.find(({ sealed_at }) => sealed_at === null)
    if (files.length === 0)
      throw new AppError('conflict', `the import ${job.id} has no files yet: upload and finalize one first`)
    if (open)
      throw new AppError(
        'conflict',
        `the file ${JSON.stringify(open.file_id)} of the import is not sealed: upload all of it and finalize it first`,
      )
  })
}

/** Queues a paused import again. */
function resumeImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['paused'])
}

/** Queues an interrupted or failed import again; records already imported stay. */
function retryImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['interrupted', 'failed'])
}

async function queueFrom(
  deps: Deps,
  job: ImportRow,
  from: readonly string[],
  check: (tables: Tables) => Promise<void> = async () => undefined,
): Promise<ImportControlReply> {
  await assertHere(deps, job)
  const now = deps.clock().toISOString()
  const changed = await deps.store.transaction(async tables => {
    const row = await tables.imports.find(job.id)
    if (!row || !from.includes(row.state) || row.removed_at !== null) return false
    await check(tables)
    await tables.imports.move(job.id, from, {
      state: 'queued',
      attempts: 0,
      error: null,
      completed_at: null,
      updated_at: now,
    })
    await tables.jobs.completeFor(importJob.kind, job.id, now)
    await tables.jobs.enqueue(newJob(deps, importJob, job.id), now)
    return true
  })
  if (changed) deps.wake(importJob)
  return changedImport(deps, job.id, changed)
}

/** Stops an import at its next read or commit; committed records stay. */
function pauseImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return stop(deps, job, (tables, now) =>
    tables.imports.move(job.id, ['queued', 'active', 'interrupted'], { state: 'paused', updated_at: now }),
  )
}

/** Cancels an import: committed records stay, incomplete uploads are deleted. */
async function cancelImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  const from = ['staging', 'queued', 'active', 'paused', 'interrupted']
  const reply = await stop(deps, job, async (tables, now) => {
    const fields = { state: 'cancelled', updated_at: now, completed_at: now }
    if (!(await tables.imports.move(job.id, from, fields))) return false
    await tables.importFiles.giveUp(job.id, emptyChain, now)
    await tables.importFiles.release(job.id)
    return true
  })
  if (reply.changed) await cleanUpUploads(deps)
  return reply
}

async function stop(
  deps: Deps,
  job: ImportRow,
  move: (tables: Tables, now: string) => Promise<boolean>,
): Promise<ImportControlReply> {
  const now = deps.clock().toISOString()
  const changed = await deps.store.transaction(async tables => {
    const moved = await move(tables, now)
    if (moved) await tables.jobs.completeFor(importJob.kind, job.id, now)
    return moved
  })
  if (changed) locksOf(deps).running.get(job.id)?.abort()
  return changedImport(deps, job.id, changed)
}

async function changedImport(
  { store }: Pick<Daemon, 'store'>,
  id: string,
  changed: boolean,
): Promise<ImportControlReply> {
  const row = await store.tables.imports.find(id)
  if (!row) throw notFound(`import ${id} not found`, 'see memory imports list')
  return { ...toImport(row), changed }
}

/**
 * Streams an agent's conversations, oldest first: as lines that an import accepts, or as one list. The same
 * conversations always give the same bytes.
 */
function exportTranscripts(
  deps: ExportTranscriptsDeps,
  caller: Caller,
  query: TranscriptExportQuery,
): Readable {
  const agentId = importAgent(caller, query) ?? defaultAgent
  return Readable.from(exportParts(deps, agentId, query))
}

async function* exportParts(
  deps: ExportTranscriptsDeps,
  agentId: string,
  query: TranscriptExportQuery,
): AsyncGenerator<string> {
  const frame = query.json ? list : lines
  yield frame.begin
  let isFirst = true
  for await (const row of selectConversations(deps, agentId, query)) {
    if (!isFirst) yield frame.between
    isFirst = false
    yield* conversationJson(deps, row, query)
    yield frame.after
  }
  yield frame.end
}

async function* selectConversations(
  { store }: ExportTranscriptsDeps,
  agentId: string,
  { harness, since, until, limit = Number.POSITIVE_INFINITY, offset }: TranscriptExportQuery,
): AsyncGenerator<TranscriptRow> {
  let place: TranscriptCursor | undefined
  for (let left = limit, skipped = offset; left > 0; ) {
    const size = Math.min(pageSize, left)
    const filter = { agentId, harness, since, until }
    const rows = await store.tables.transcripts.page(filter, { after: place, limit: size, offset: skipped })
    yield* rows
    place = rows.at(-1)
    if (rows.length < size) return
    left -= rows.length
    skipped = 0
  }
}

/** Written in parts, because a conversation may be long. */
async function* conversationJson(
  { store, budget }: ExportTranscriptsDeps,
  row: TranscriptRow,
  { messagesOnly }: TranscriptExportQuery,
): AsyncGenerator<string> {
  const { session_key: sessionKey, harness, project, captured_at: capturedAt, messages } = row
  const head = messagesOnly
    ? { sessionKey }
    : { source: 'service', version: 1, sessionKey, harness, project, capturedAt, messageCount: messages }
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`
  for (let from = 0; from < messages; ) {
    const page = await store.tables.transcripts.messages(row, from)
    // The rest would belong to another version, so break the stream to make the reader notice.
    if (page.length === 0) throw new Error('a conversation was replaced while it was exported')
    const written = page.map(message => JSON.stringify(shownMessage(message, messagesOnly))).join(',')
    yield from === 0 ? written : `,${written}`
    from += page.length
    await budget.breathe()
  }
  yield ']}'
}

function shownMessage({ role, text, at }: StoredMessage, messagesOnly: boolean): object {
  return messagesOnly || at === null ? { role, text } : { role, text, at }
}
