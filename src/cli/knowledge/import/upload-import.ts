import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../../client/call.js'
import { ownCredential } from '../../../client/daemon/own-credential.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import { ClientError } from '../../../client/http/client-error.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'

export type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>

/** Calls the daemon as the owner of the workspace, who needs no API key for local data. */
export function callAsOwner(globals: Pick<CallOptions, 'workspace' | 'agent' | 'autostart'>): CallDaemon {
  const { SERVICE_API_KEY, SERVICE_TOKEN } = process.env
  const credential = SERVICE_API_KEY || SERVICE_TOKEN ? undefined : () => ownCredential(globals.workspace)
  return (address, request) => call(address, request, { ...globals, ...(credential && { credential }) })
}

/** A local file to import. */
export interface UploadFile {
  path: string
  bytes: number
  /** Id of the file within the import. */
  fileId: string
  /** Working folder of its conversation, which the file itself does not name. */
  folder?: string | undefined
  /** True if its program only appends to it; then it is imported up to its length when it was first read. */
  onlyGrows?: boolean
}

export interface Upload {
  jobId: string
  file: UploadFile
  /** Upload state on the daemon. */
  known:
    | { upload_offset: number; upload_generation: number; upload_size: number | null; sealed: boolean }
    | undefined
  /** Receives the number of bytes on the daemon's disk. */
  onBytes: (bytes: number) => void
}

/** Bytes per request. */
const partBytes = 1024 * 1024
/** Maximum attempts of a request whose connection breaks. */
const attempts = 8
const firstWaitMs = 250

/**
 * Uploads the remaining part of a file and seals it; a sealed file is left unchanged.
 * @throws CliError `file_changed` if the file was replaced since it was first read.
 */
export async function uploadFile(call: CallDaemon, { jobId, file, known, onBytes }: Upload): Promise<void> {
  if (known?.sealed) return onBytes(file.bytes)
  const params = { jobId, fileId: file.fileId }
  let offset = known?.upload_offset ?? 0
  let generation = known?.upload_generation ?? 0
  if (known && known.upload_size !== null && known.upload_size !== file.bytes) {
    // The file was replaced since its upload began.
    const reset = await call('POST /api/sources/imports/:jobId/files/:fileId/reset', { params })
    offset = 0
    generation = reset.upload_generation
  }
  const handle = await open(file.path, 'r')
  try {
    do {
      const bytes = await partAt(handle, file, offset)
      const reply = await withRetries(() =>
        call('PATCH /api/sources/imports/:jobId/files/:fileId', {
          params,
          bytes,
          headers: {
            'upload-length': String(file.bytes),
            'upload-offset': String(offset),
            'upload-generation': String(generation),
            'upload-checksum': createHash('sha256').update(bytes).digest('hex'),
            ...(file.folder !== undefined && { 'upload-folder': encodeURIComponent(file.folder) }),
          },
        }),
      )
      offset = reply.upload_offset
      onBytes(offset)
    } while (offset < file.bytes)
  } finally {
    await handle.close()
  }
  await withRetries(() => call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params }))
}

/** @throws CliError `file_changed` if the file's length has changed, unless it only grows. */
async function partAt(
  handle: FileHandle,
  { path, bytes, onlyGrows = false }: UploadFile,
  offset: number,
): Promise<Buffer> {
  const part = Buffer.allocUnsafe(Math.min(partBytes, bytes - offset))
  const { bytesRead } = await handle.read(part, 0, part.length, offset)
  const { size } = await handle.stat()
  if (bytesRead === part.length && (size === bytes || (onlyGrows && size > bytes))) return part
  throw new CliError(`${path} changed during the upload, from ${bytes} to ${size} bytes`, {
    code: 'file_changed',
    exit: 'failure',
    nextSteps: ['Run the command again when no program writes the file'],
  })
}

/** Retries after a broken connection, which is safe: a part that had arrived is acknowledged again. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isTemporary(error)) throw error
      await delay(firstWaitMs * 2 ** attempt)
    }
}

const temporaryCodes = new Set(['connection_lost', 'daemon_unavailable', 'timeout', 'starting', 'overloaded'])

function isTemporary(error: unknown): boolean {
  return error instanceof ClientError && temporaryCodes.has(error.code)
}
