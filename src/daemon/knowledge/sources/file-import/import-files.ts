import { stat } from 'node:fs/promises'
import { basename, isAbsolute, normalize } from 'node:path'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  type DuplicateMode,
  type ImportedFile,
  type ImportFilesBody,
  importLimits,
  importSettings,
} from '../../../../contract/knowledge/sources/source-import.js'
import { type OneAtATime, oneAtATime } from '../../../../lib/concurrency/one-at-a-time.js'
import { hashInSlices } from '../../../../lib/files/hash-in-slices.js'
import { quoted } from '../../../../lib/text/clip.js'
import { assertNotFrozen } from '../../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { assertMayRead } from '../../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../../platform/auth/loopback.js'
import { createDaemonState } from '../../../platform/daemon/daemon.js'
import type { UploadedFile } from '../../../platform/http/bodies/read-form.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import { sourceId } from '../core/add-source.js'
import { agentOfSources } from '../core/find-source.js'
import { purgesOf, type SourceDeps } from '../core/runs.js'
import { SourceGone, SourcesFrozen } from '../core/write-events.js'
import { type FileToImport, projectFile } from './project-file.js'
import { type ImportDeps, storeImport } from './store-import.js'

/** A named or uploaded file that has not been read yet. */
interface FileInput {
  fileName: string
  /** The path, or the file name of an upload. */
  root: string
  open(): Promise<FileToImport & { updatedAt: string | null }>
}

export interface ImportRequest {
  body: ImportFilesBody
  files: readonly UploadedFile[]
  /** Aborts the import after the file that is being stored. */
  signal: AbortSignal
}

/**
 * Imports files one after the other, each completely or not at all (sources.md#importing-files). An
 * unreadable file does not affect the others.
 * @throws AppError `validation_failed` without files, `payload_too_large`, `forbidden` for paths from another
 * machine or those that the credential may not have read
 */
export async function importFiles(
  deps: ImportDeps,
  caller: Caller,
  { body, files, signal }: ImportRequest,
): Promise<{ imported: number; failed: number; files: ImportedFile[] }> {
  const agentId = agentOfSources(caller, body)
  const { paths = [], duplicateMode: mode } = body
  if (paths.length > 0 && !isOnThisMachine(caller))
    throw new AppError(
      'forbidden',
      "paths are only read for callers on the daemon's machine; upload the files",
    )
  for (const path of paths) await assertMayRead(deps, caller, path)
  const inputs = [...files.map(inputOfUpload), ...paths.map(path => inputOfPath(deps, path))]
  if (inputs.length === 0)
    throw new AppError(
      'validation_failed',
      `send files in the field ${importLimits.field}, or name them in paths`,
    )
  if (inputs.length > importLimits.maxFiles) throw tooMuch(`has ${importLimits.maxFiles} files`)
  if ((await bytesOf(paths)) > importLimits.maxBytes)
    throw tooMuch(`brings ${importLimits.maxBytes / 1024 / 1024} MiB`)
  const results: ImportedFile[] = []
  for (const input of inputs) {
    if (signal.aborted) break
    results.push(await importOne(deps, caller, input, { agentId, mode, signal }))
  }
  const count = (status: ImportedFile['status']): number =>
    results.filter(file => file.status === status).length
  return { imported: count('imported'), failed: count('failed'), files: results }
}

function inputOfUpload(file: UploadedFile): FileInput {
  const { fileName, contentType } = file
  return {
    fileName,
    root: fileName,
    open: async () => {
      if (file.isTooLarge) throw tooLarge(fileName)
      return { fileName, contentType, bytes: await file.read(), updatedAt: null }
    },
  }
}

function inputOfPath(deps: SourceDeps, given: string): FileInput {
  const path = normalize(given)
  const fileName = basename(path)
  return {
    fileName,
    root: path,
    open: async () => {
      if (!isAbsolute(given)) throw new DocumentFault(`${quoted(given)} is not an absolute path`)
      const bytes = await readLocalFile(deps, path)
      const { mtime } = await stat(path)
      return { fileName, bytes, updatedAt: mtime.toISOString() }
    },
  }
}

/** Sums the sizes of existing files; a bad path is reported later with its file. */
async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map(path =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.filter(size => size <= importLimits.maxFileBytes).reduce((sum, size) => sum + size, 0)
}

interface Options {
  agentId: string
  mode: DuplicateMode
  signal: AbortSignal
}

async function importOne(
  deps: ImportDeps,
  caller: Caller,
  input: FileInput,
  { agentId, mode, signal }: Options,
): Promise<ImportedFile> {
  const { fileName, root } = input
  try {
    const file = await input.open()
    const sha256 = await hashInSlices(file.bytes)
    const id = sourceId('import', agentId, sha256)
    const known = await knownImport(deps, id)
    if (known && mode === 'skip') return { ...known, fileName, status: 'duplicate' }
    const projected = await projectFile(deps, file, signal)
    if (projected.status === 'failed')
      return failure(fileName, { error: projected.message, reason: projected.reason })
    return await queueOf(deps)(async () => {
      // A concurrent request may have stored the same bytes.
      const present = await knownImport(deps, id)
      if (present && mode === 'skip') return { ...present, fileName, status: 'duplicate' as const }
      assertNotFrozen(deps)
      const read = { ...file, ...projected, sourceId: id, agentId, sha256, root, mode }
      const { format, extraction } = await storeImport(deps, caller, read)
      return {
        fileName,
        status: 'imported' as const,
        sourceId: id,
        format,
        duplicate: present !== undefined,
        extraction,
      }
    })
  } catch (error) {
    if (signal.aborted) return failure(fileName, { error: 'the request was cancelled', reason: 'cancelled' })
    if (error instanceof DocumentFault)
      return failure(fileName, { error: error.message, reason: 'unreadable' })
    if (error instanceof SourceGone)
      return failure(fileName, {
        error: `${quoted(fileName)} was removed while it was imported`,
        reason: 'removed',
      })
    if (error instanceof SourcesFrozen) assertNotFrozen(deps)
    throw error
  }
}

/** Returns an existing import, after waiting for a running removal. */
async function knownImport(deps: SourceDeps, id: string) {
  const row = await deps.store.tables.sources.load(id)
  if (row && row.removed_at !== null) await purgesOf(deps).purge(id)
  if (!row || row.removed_at !== null || row.last_indexed_at === null) return undefined
  const { format, extraction } = importSettings.parse(JSON.parse(row.settings))
  return { sourceId: id, format, duplicate: true, extraction }
}

function failure(fileName: string, told: { error: string; reason: string }): ImportedFile {
  return { fileName, status: 'failed', sourceId: null, format: null, duplicate: false, ...told }
}

function tooLarge(fileName: string): DocumentFault {
  return new DocumentFault(`${quoted(fileName)} is larger than 25 MiB`)
}

function tooMuch(most: string): AppError {
  return new AppError('payload_too_large', `a request ${most} at most; send the rest in another one`)
}

/** Files of a daemon are stored one at a time, because two with the same bytes are one source. */
const lines = createDaemonState<OneAtATime>()

function queueOf(deps: Pick<SourceDeps, 'store'>): OneAtATime {
  return lines.ofOrMade(deps, oneAtATime)
}
