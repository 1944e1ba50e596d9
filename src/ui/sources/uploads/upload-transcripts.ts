import { signal } from '@preact/signals'
import type { Request } from '../../../contract/api.js'
import { failureText } from '../../api/api-error.js'
import { call } from '../../api/call.js'
import { changes } from '../../api/loaded.js'

type NewImport = NonNullable<Request<'POST /api/sources/imports'>['body']>

export interface UploadProgress {
  jobId: string
  /** Bytes on the daemon's disk, and of all files. */
  done: number
  total: number
  /** Reason of an incomplete upload. */
  failure?: string
}

/** The upload of this tab, which continues when the user opens another page. */
export const sending = signal<UploadProgress | undefined>(undefined)

/** Bytes per request. */
const partBytes = 1024 * 1024

/**
 * Creates an import of conversations, uploads its files in the background and then starts it. @returns its id
 */
export async function beginImport(files: readonly File[], fields: NewImport): Promise<string> {
  const { jobId } = await call('POST /api/sources/imports', { body: fields })
  sending.value = { jobId, done: 0, total: files.reduce((sum, { size }) => sum + size, 0) }
  void uploadAll(jobId, files).catch((thrown: unknown) =>
    updateUpload(jobId, { failure: failureText(thrown) }),
  )
  return jobId
}

async function uploadAll(jobId: string, files: readonly File[]): Promise<void> {
  for (const [position, file] of files.entries()) {
    const params = { jobId, fileId: nameOf(file, position) }
    if (globalThis.crypto?.subtle) await sendParts(params, file)
    else await sendWhole(params, file)
    await call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  }
  await call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  if (sending.value?.jobId === jobId) sending.value = undefined
  changes.value++
}

interface Params {
  jobId: string
  fileId: string
}

async function sendParts(params: Params, file: File): Promise<void> {
  for (let offset = 0; offset < file.size || offset === 0; offset += partBytes) {
    const bytes = new Uint8Array(await file.slice(offset, offset + partBytes).arrayBuffer())
    await call('PATCH /api/sources/imports/:jobId/files/:fileId', {
      params,
      bytes,
      headers: {
        'upload-length': String(file.size),
        'upload-offset': String(offset),
        'upload-checksum': await digestOf(bytes),
      },
    })
    addBytes(params.jobId, bytes.length)
  }
}

/** On remote pages without HTTPS, browsers offer no checksums; a streamed upload needs none. */
async function sendWhole(params: Params, file: File): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const headers = { 'upload-length': String(file.size) }
  await call('PUT /api/sources/imports/:jobId/files/:fileId', { params, bytes, headers })
  addBytes(params.jobId, bytes.length)
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns a unique id of a file within the import, based on its name. */
function nameOf({ name }: File, position: number): string {
  return `${position + 1}-${name.replaceAll(/[^\w.@+:=~ -]/gu, '_')}`.slice(0, 200)
}

function addBytes(jobId: string, bytes: number): void {
  updateUpload(jobId, { done: (sending.value?.done ?? 0) + bytes })
}

function updateUpload(jobId: string, changed: Partial<UploadProgress>): void {
  if (sending.value?.jobId === jobId) sending.value = { ...sending.value, ...changed }
}
