import { createHash } from 'node:crypto'
import type { Reply, Request } from '../../src/contract/api.js'
import { maxPatchBytes } from '../../src/contract/knowledge/import-files.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'

type Caller = Pick<TestDaemon, 'call'>
type ImportDetails = Reply<'GET /api/sources/imports/:jobId'>

/** Starts an import and returns its id. */
export async function beginImport(
  { call }: Caller,
  body: Request<'POST /api/sources/imports'>['body'] = { adapter: 'service-export', adapterVersion: 1 },
): Promise<string> {
  return (await call('POST /api/sources/imports', { body })).body.id
}

export interface Part {
  jobId: string
  fileId?: string
  bytes: Uint8Array
  offset?: number
  size: number
  generation?: number
  headers?: Record<string, string | undefined>
}

/** Uploads one part of a file with PATCH. */
export function uploadPart({ call }: Caller, part: Part) {
  const { jobId, fileId = 'a.jsonl', bytes, offset = 0, size, generation = 0, headers } = part
  return call('PATCH /api/sources/imports/:jobId/files/:fileId', {
    params: { jobId, fileId },
    bytes,
    headers: {
      'upload-length': String(size),
      'upload-offset': String(offset),
      'upload-generation': String(generation),
      'upload-checksum': createHash('sha256').update(bytes).digest('hex'),
      ...headers,
    },
  })
}

/** Uploads a whole file with PATCH, from an offset on. */
export async function uploadFile(
  daemon: Caller,
  {
    jobId,
    fileId = 'a.jsonl',
    bytes,
    from = 0,
  }: { jobId: string; fileId?: string; bytes: Buffer; from?: number },
): Promise<void> {
  let offset = from
  do {
    const part = bytes.subarray(offset, offset + maxPatchBytes)
    const { status } = await uploadPart(daemon, { jobId, fileId, bytes: part, offset, size: bytes.length })
    if (status !== 200) throw new Error(`the upload was answered with ${status}`)
    offset += part.length
  } while (offset < bytes.length)
}

/** Uploads a file and finalizes it. */
export async function sealFile(
  daemon: Caller,
  file: { jobId: string; fileId?: string; bytes: Buffer },
): Promise<void> {
  await uploadFile(daemon, file)
  const { jobId, fileId = 'a.jsonl' } = file
  const params = { jobId, fileId }
  const { status } = await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  if (status !== 200) throw new Error(`the finalize was answered with ${status}`)
}

/** Waits until an import is in one of the given states. */
export function importReaching(
  { call }: Caller,
  jobId: string,
  states: readonly string[] = ['completed', 'failed', 'cancelled', 'paused'],
): Promise<ImportDetails> {
  return until(async () => {
    const { body } = await call('GET /api/sources/imports/:jobId', { params: { jobId } })
    return states.includes(body.state) ? body : undefined
  })
}

export interface ImportedText {
  text: string | Buffer
  adapter?: Request<'POST /api/sources/imports'>['body']
  fileId?: string
}

/** Imports a text as one file and waits for the end. */
export async function importText(
  daemon: Caller,
  { text, adapter, fileId = 'a.jsonl' }: ImportedText,
): Promise<ImportDetails> {
  const jobId = await beginImport(daemon, adapter)
  await sealFile(daemon, { jobId, fileId, bytes: Buffer.from(text) })
  await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  return importReaching(daemon, jobId)
}

/** A conversation as a line of an export. */
export function exportedLine(sessionKey: string, texts: readonly string[], fields: object = {}): string {
  return JSON.stringify({
    source: 'service',
    version: 1,
    sessionKey,
    harness: 'claude-code',
    project: '/shop',
    capturedAt: '2026-01-02T03:04:05.000Z',
    messageCount: texts.length,
    messages: texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text })),
    ...fields,
  })
}
