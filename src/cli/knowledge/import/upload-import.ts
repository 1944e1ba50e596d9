import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { ClientError } from '../../../client/http/client-error.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'

export type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>

/** A file that is to be imported, as it is on this machine. */
export interface ImportedFile {
  path: string
  bytes: number
  /** What the import calls it. */
  fileId: string
  /** Its program only ever adds to it: it is taken as long as it was when it was looked at. */
  onlyGrows?: boolean
}

export interface Upload {
  jobId: string
  file: ImportedFile
  /** What the import knows of it by now. */
  known:
    | { upload_offset: number; upload_generation: number; upload_size: number | null; sealed: boolean }
    | undefined
  /** Told how many bytes of it are on the daemon's disk. */
  onBytes: (bytes: number) => void
}

/** Bytes of one request. */
const partBytes = 1024 * 1024
/** Attempts at a request whose connection breaks off. */
const attempts = 8
const firstWaitMs = 250

/**
 * Uploads a file behind what is there of it, and seals it; one that is sealed stays as it is.
 * @throws CliError `file_changed` for a file that is another one than when it was looked at.
 */
export async function uploadFile(call: CallDaemon, { jobId, file, known, onBytes }: Upload): Promise<void> {
  if (known?.sealed) return onBytes(file.bytes)
  const params = { jobId, fileId: file.fileId }
  let offset = known?.upload_offset ?? 0
  let generation = known?.upload_generation ?? 0
  if (known && known.upload_size !== null && known.upload_size !== file.bytes) {
    // It was another file when its upload began.
    const reset = await call('POST /api/sources/imports/:jobId/files/:fileId/reset', { params })
    offset = 0
    generation = reset.upload_generation
  }
  const handle = await open(file.path, 'r')
  try {
    do {
      const bytes = await partAt(handle, file, offset)
      const reply = await patiently(() =>
        call('PATCH /api/sources/imports/:jobId/files/:fileId', {
          params,
          bytes,
          headers: {
            'upload-length': String(file.bytes),
            'upload-offset': String(offset),
            'upload-generation': String(generation),
            'upload-checksum': createHash('sha256').update(bytes).digest('hex'),
          },
        }),
      )
      offset = reply.upload_offset
      onBytes(offset)
    } while (offset < file.bytes)
  } finally {
    await handle.close()
  }
  await patiently(() => call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params }))
}

/** @throws CliError `file_changed` for a file that has another length than it had, unless it grows by its nature. */
async function partAt(
  handle: FileHandle,
  { path, bytes, onlyGrows = false }: ImportedFile,
  offset: number,
): Promise<Buffer> {
  const part = Buffer.allocUnsafe(Math.min(partBytes, bytes - offset))
  const { bytesRead } = await handle.read(part, 0, part.length, offset)
  const { size } = await handle.stat()
  if (bytesRead === part.length && (size === bytes || (onlyGrows && size > bytes))) return part
  throw new CliError(`${path} changed while it was uploaded: it had ${bytes} bytes, now it has ${size}`, {
    code: 'file_changed',
    exit: 'failure',
    nextSteps: ['Run the same command again once nobody writes it'],
  })
}

/** A request that broke off may be repeated: what arrived is acknowledged as it was. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isPassing(error)) throw error
      await delay(firstWaitMs * 2 ** attempt)
    }
}

const passing = new Set(['connection_lost', 'daemon_unavailable', 'timeout', 'starting', 'overloaded'])

function isPassing(error: unknown): boolean {
  return error instanceof ClientError && passing.has(error.code)
}
