import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FilesystemSettings, SyncError, SyncResult } from '../../../contract/knowledge/connectors.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import type { ConnectorFile, ConnectorRow } from '../../../store/tables/knowledge/connectors.js'
import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import { type Caller, ownCaller } from '../../ground/visibility/caller.js'
import { noLongerGiven, staysGiven } from '../../platform/auth/given-folders.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { addConnectorFile } from '../documents/create-document.js'
import { ingestJob } from '../documents/job.js'
import { createPathFilter, type ListedFile, listFiles } from '../files/list-files.js'
import { SyncFault, settingsOf } from './filesystem-settings.js'
import { removeDocuments } from './remove-documents.js'

/** Faults listed in one result. */
const maxListed = 100

const words: Readonly<Record<string, string>> = {
  EACCES: 'the daemon has no permission to read it',
  EPERM: 'the daemon has no permission to read it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'it has too many links in its path',
}
/** Error codes that the next sync may overcome by itself. */
const passing = new Set(['EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE', 'EIO', 'ESTALE', 'ETIMEDOUT'])

/** Faults of single files and folders during one sync: all are counted, the first hundred are listed. */
class SyncFaults {
  readonly listed: SyncError[] = []
  count = 0

  add(resourceId: string, error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    this.record({ resourceId, message: reasonOf(error), retryable: passing.has(code) })
  }

  record(error: SyncError): void {
    this.count++
    if (this.listed.length < maxListed)
      this.listed.push({
        ...error,
        resourceId: clip(error.resourceId, 1000),
        message: clip(error.message, 500),
      })
  }
}

/** Explains in words why something is unreadable. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message)
}

export type SyncDeps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'log' | 'configuration' | 'wake'>

/** The progress of a sync. */
export interface SyncProgress {
  full: boolean
  listed: number
  taken: number
  removed: number
}

/** Files per transaction, during which requests wait. */
const transactionFiles = 25
/** File rows per query. */
const pageSize = 2000
/**
 * File systems store times in steps of up to two seconds. A file changed within this time before it was
 * listed may change again unnoticed, so the next sync reads it again.
 */
const overlapMs = 3000

interface Sync {
  deps: SyncDeps
  caller: Caller
  connector: ConnectorRow
  settings: FilesystemSettings
  progress: SyncProgress
  signal: AbortSignal
  faults: SyncFaults
  counts: Pick<SyncResult, 'documentsAdded' | 'documentsUpdated' | 'documentsRemoved'>
}

/**
 * Updates the documents of a folder (connectors.md#a-sync): adds new and changed files, or all of them in a
 * full sync, and removes documents of deleted files if the whole folder was listed. Progress is stored per
 * file, so that the next sync continues after a kill.
 * @throws SyncFault for unusable settings or root, AppError `mutations_frozen`, the signal's reason
 */
export async function syncFilesystem(
  deps: SyncDeps,
  connector: ConnectorRow,
  { progress, signal }: { progress: SyncProgress; signal: AbortSignal },
): Promise<SyncResult> {
  const startedAt = deps.clock().toISOString()
  const settings = settingsOf(connector.config_json)
  await assertFolder(deps, settings)
  const counts = { documentsAdded: 0, documentsUpdated: 0, documentsRemoved: 0 }
  const faults = new SyncFaults()
  const caller = ownCaller(deps, 'connectors')
  const sync: Sync = { deps, caller, connector, settings, progress, signal, faults, counts }
  const gone = await syncFiles(sync)
  await removeDeleted(sync, gone)
  return {
    ...counts,
    errors: faults.listed,
    errorCount: faults.count,
    listed: progress.listed,
    full: progress.full,
    startedAt,
    endedAt: deps.clock().toISOString(),
    cursor: { lastSyncAt: startedAt, version: 1 },
  }
}

async function assertFolder(
  { configuration }: Pick<SyncDeps, 'configuration'>,
  { rootPath, givenTo: name }: FilesystemSettings,
): Promise<void> {
  const stats = await stat(rootPath).catch(error => {
    throw new SyncFault(`rootPath ${quoted(rootPath)}: ${reasonOf(error)}`)
  })
  if (!stats.isDirectory()) throw new SyncFault(`rootPath ${quoted(rootPath)}: it is not a folder`)
  const place = await realpath(rootPath)
  if (!staysGiven(configuration().settings.auth, { path: rootPath, place, name }))
    throw new SyncFault(`rootPath ${quoted(rootPath)}: ${noLongerGiven}`)
}

/**
 * Lists the folder and adds files that are due.
 * @returns files that do not exist any more
 */
async function syncFiles(sync: Sync): Promise<ConnectorFile[]> {
  const { deps, settings, progress, signal, faults } = sync
  const known = await knownFiles(sync)
  const state = { isWhole: true, isEmpty: true }
  const listing = listFiles({
    root: settings.rootPath,
    choice: createPathFilter(settings),
    signal,
    onFault: ({ id, kind, error }) => {
      faults.add(id, error)
      known.delete(id)
      if (kind === 'folder') state.isWhole = false
    },
    onEntry: () => {
      state.isEmpty = false
    },
  })
  let due: ListedFile[] = []
  for await (const files of withRootFaults(listing, settings)) {
    progress.listed += files.length
    const lookedMs = deps.clock().getTime()
    for (const file of files) {
      const before = known.get(file.id)
      known.delete(file.id)
      if (progress.full || !before || !isSame(before, file)) due.push(file)
    }
    for (; due.length >= transactionFiles; due = due.slice(transactionFiles))
      await syncBatch(sync, due.slice(0, transactionFiles), lookedMs)
  }
  await syncBatch(sync, due, deps.clock().getTime())
  const gone = [...known.values()]
  if (gone.length === 0 || !state.isWhole) return []
  if (!state.isEmpty) return gone
  faults.record({
    resourceId: '.',
    message:
      'the folder is empty, as if its disk were missing: no document was removed. To remove them, remove the connector with cascade',
    retryable: true,
  })
  return []
}

/** Explains errors of reading the root in words. */
async function* withRootFaults<T>(
  listing: AsyncGenerator<T>,
  { rootPath }: FilesystemSettings,
): AsyncGenerator<T> {
  try {
    yield* listing
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new SyncFault(`rootPath ${quoted(rootPath)}: ${reasonOf(error)}`)
  }
}

async function knownFiles({ deps, connector, signal }: Sync): Promise<Map<string, ConnectorFile>> {
  const known = new Map<string, ConnectorFile>()
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const page = await deps.store.tables.connectorFiles.page(connector.id, after, pageSize)
    for (const file of page) known.set(file.path, file)
    const last = page.at(-1)
    if (page.length < pageSize || !last) return known
    after = last.path
    await nextTurn()
  }
}

/** True if a file is as recorded, and its last change was well before that record was made. */
function isSame(before: ConnectorFile, { size, mtimeMs, inode }: ListedFile): boolean {
  return (
    before.size === size &&
    before.mtime_ms === mtimeMs &&
    before.inode === inode &&
    before.mtime_ms < before.taken_ms - overlapMs
  )
}

/** Writes documents, jobs and the state of the files in one transaction. */
async function syncBatch(sync: Sync, files: readonly ListedFile[], lookedMs: number): Promise<void> {
  const { deps, caller, connector, progress, counts, signal } = sync
  signal.throwIfAborted()
  const readable = await readableOf(sync, files)
  if (readable.length === 0) return
  assertNotFrozen(deps)
  const taken = await deps.store.transaction(async tables => {
    const taken = { added: 0, updated: 0 }
    for (const { id: path, path: source, size, mtimeMs, inode } of readable) {
      const file = { path: source, connectorId: connector.id, anew: progress.full }
      const { id, isNew } = await addConnectorFile(deps, tables, caller, file)
      if (isNew) taken.added++
      else taken.updated++
      await tables.connectorFiles.put({
        connector_id: connector.id,
        path,
        size,
        mtime_ms: mtimeMs,
        inode,
        taken_ms: lookedMs,
        document_id: id,
      })
    }
    return taken
  })
  counts.documentsAdded += taken.added
  counts.documentsUpdated += taken.updated
  progress.taken += readable.length
  deps.wake(ingestJob)
  await nextTurn()
}

/** Files that are too large or unreadable are faults of their own; the next sync tries them again. */
async function readableOf({ settings, faults }: Sync, files: readonly ListedFile[]): Promise<ListedFile[]> {
  const readable: ListedFile[] = []
  for (const file of files) {
    if (file.size > settings.maxFileSize) {
      const message = `it has ${file.size} bytes; maxFileSize is ${settings.maxFileSize}`
      faults.record({ resourceId: file.id, message, retryable: false })
      continue
    }
    try {
      await access(file.path, constants.R_OK)
      readable.push(file)
    } catch (error) {
      faults.add(file.id, error)
    }
  }
  return readable
}

async function removeDeleted(
  { deps, caller, connector, progress, counts, signal }: Sync,
  gone: readonly ConnectorFile[],
): Promise<void> {
  for (const { path, document_id } of gone) {
    signal.throwIfAborted()
    const { documents } = await removeDocuments(deps, caller, connector.id, {
      ids: [document_id],
      reason: 'file is gone',
    })
    await deps.store.tables.connectorFiles.forget(connector.id, [path])
    counts.documentsRemoved += documents
    progress.removed++
  }
}
