import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { uploadChunkBytes } from '../../../src/contract/knowledge/import-files.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { beginImport, sealFile, uploadFile, uploadPart } from '../../helpers/transcript-imports.js'

const chunk = uploadChunkBytes

function fileOf({ call }: TestDaemon, jobId: string) {
  return call('GET /api/sources/imports/:jobId', { params: { jobId } }).then(({ body }) => body.files[0])
}

function contentOf({ url }: TestDaemon, jobId: string, fileId = 'a.jsonl'): Promise<Response> {
  return fetch(`${url}/api/sources/imports/${jobId}/files/${fileId}/content`)
}

function put({ url }: TestDaemon, jobId: string, init: RequestInit, fileId = 'a.jsonl'): Promise<Response> {
  return fetch(`${url}/api/sources/imports/${jobId}/files/${fileId}`, { method: 'PUT', ...init })
}

test('a file uploaded in parts is stored byte for byte, in files only the owner can read', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(2 * 1024 * 1024 + 12_345)
  await uploadFile(daemon, { jobId, bytes })
  const params = { jobId, fileId: 'a.jsonl' }
  t.is((await contentOf(daemon, jobId)).status, 409)
  const sealed = await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  t.is(sealed.status, 200)
  t.true(sealed.body.sealed)
  t.regex(sealed.body.sourceId, /^import:[0-9a-f]{32}$/)
  t.deepEqual(
    await daemon
      .call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
      .then(r => r.body),
    sealed.body,
  )
  const content = await contentOf(daemon, jobId)
  t.is(content.headers.get('content-type'), 'application/octet-stream')
  t.true(Buffer.from(await content.arrayBuffer()).equals(bytes))
  const folder = join(daemon.paths.imports, jobId)
  t.is(statSync(folder).mode & 0o777, 0o700)
  for (const name of readdirSync(folder)) t.is(statSync(join(folder, name)).mode & 0o777, 0o600)
  const file = await fileOf(daemon, jobId)
  t.is(file?.upload_digest, chainOf(bytes))
  t.is(file?.cleanup_state, 'complete')
})

/** Computes the checksum chain independently of the daemon. */
function chainOf(bytes: Buffer): string {
  let chain = Buffer.alloc(32)
  for (let at = 0; at < bytes.length; at += chunk) {
    const part = createHash('sha256')
      .update(bytes.subarray(at, at + chunk))
      .digest()
    chain = createHash('sha256').update(chain).update(part).digest()
  }
  return chain.toString('hex')
}

test('a part sent again is acknowledged again; other bytes at its offset are a conflict', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(3 * chunk + 7)
  const size = bytes.length
  const first = bytes.subarray(0, 2 * chunk)
  const parts = [
    { bytes: first, offset: 0, expected: 2 * chunk },
    { bytes: first, offset: 0, expected: 2 * chunk },
    // Overlapping bytes are compared, the rest is new.
    { bytes: bytes.subarray(chunk, 3 * chunk), offset: chunk, expected: 3 * chunk },
    { bytes: bytes.subarray(3 * chunk), offset: 3 * chunk, expected: size },
    { bytes: bytes.subarray(3 * chunk), offset: 3 * chunk, expected: size },
  ]
  for (const { bytes, offset, expected } of parts) {
    const { status, body, headers } = await uploadPart(daemon, { jobId, bytes, offset, size })
    t.is(status, 200)
    t.is(body.upload_offset, expected)
    t.is(headers.get('upload-offset'), String(expected))
  }
  const other = await uploadPart(daemon, { jobId, bytes: randomBytes(chunk), offset: chunk, size })
  t.is(other.status, 409)
  t.is(other.body.code, 'upload_conflict')
  t.is(other.headers.get('upload-offset'), String(size))
  t.is((await fileOf(daemon, jobId))?.upload_digest, chainOf(bytes))
})

test('parts that do not fit are refused with the reason and change nothing', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const size = 4 * chunk
  const bytes = randomBytes(chunk)
  t.is((await uploadPart(daemon, { jobId, bytes, size })).status, 200)
  const before = await fileOf(daemon, jobId)
  const refused: [string, Partial<Parameters<typeof uploadPart>[1]>, number, string][] = [
    ['a gap', { offset: 2 * chunk }, 409, 'upload_conflict'],
    ['an offset inside a chunk', { offset: chunk - 1 }, 400, 'validation_failed'],
    [
      'a part that ends inside a chunk',
      { offset: chunk, bytes: bytes.subarray(1) },
      400,
      'validation_failed',
    ],
    ['another length', { offset: chunk, size: size + chunk }, 409, 'upload_conflict'],
    ['beyond the length', { offset: 4 * chunk }, 413, 'upload_too_long'],
    ['a later generation', { offset: chunk, generation: 1 }, 409, 'stale_generation'],
    [
      'more than a MiB',
      { bytes: randomBytes(1024 * 1024 + chunk), size: 64 * chunk },
      413,
      'payload_too_large',
    ],
    ['another checksum', { headers: { 'upload-checksum': '0'.repeat(64) } }, 400, 'validation_failed'],
    ['no checksum', { headers: { 'upload-checksum': undefined } }, 400, 'validation_failed'],
    ['no length', { headers: { 'upload-length': undefined } }, 411, 'length_required'],
    ['no offset', { headers: { 'upload-offset': undefined } }, 400, 'validation_failed'],
    ['a negative offset', { headers: { 'upload-offset': '-1' } }, 400, 'validation_failed'],
    ['no number', { headers: { 'upload-length': '1e9' } }, 400, 'validation_failed'],
    ['too long a file', { fileId: 'b', size: 64 * 1024 ** 3 + 1 }, 413, 'payload_too_large'],
    ['another name', { fileId: '...' }, 400, 'validation_failed'],
    ['a path', { fileId: 'a/../b' }, 400, 'validation_failed'],
  ]
  for (const [what, part, status, code] of refused) {
    const reply = await uploadPart(daemon, { jobId, bytes, size, ...part })
    t.is(reply.status, status, what)
    t.is(reply.body.code, code, what)
  }
  t.deepEqual(await fileOf(daemon, jobId), before)
})

test('a file without enough disk space is refused before any byte is stored, with the missing amount', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  // Needs three times that size plus a GiB, more than any test machine has.
  const reply = await uploadPart(daemon, { jobId, bytes: randomBytes(chunk), size: 64 * 1024 ** 3 })
  t.is(reply.status, 507)
  t.is(reply.body.code, 'insufficient_storage')
  t.regex(reply.body.error ?? '', /needs 207299280896 free bytes/)
  t.is(await fileOf(daemon, jobId), undefined)
  const room = async () => (await daemon.call('GET /api/sources/imports')).body.room
  t.like(await room(), { reserved: 0, kept: 1024 ** 3 })
  await uploadPart(daemon, { jobId, bytes: randomBytes(chunk), size: 2 * chunk })
  t.is((await room()).reserved, 3 * 2 * chunk + 64 * 1024 ** 2 - chunk, 'except for the bytes already stored')
})

test('a stream is stored as it arrives, and a repeated one continues after the stored bytes', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(3 * 1024 * 1024 + 5)
  t.is(
    (await uploadPart(daemon, { jobId, bytes: bytes.subarray(0, 2 * chunk), size: bytes.length })).status,
    200,
  )
  const whole = await put(daemon, jobId, { body: bytes })
  t.is(whole.status, 200)
  t.is(whole.headers.get('upload-offset'), String(bytes.length))
  t.is((await put(daemon, jobId, { body: bytes })).status, 200, 'again')
  t.is((await put(daemon, jobId, { body: randomBytes(bytes.length) })).status, 409, 'other bytes')
  const chunked = new ReadableStream({
    start: controller => {
      for (let at = 0; at < bytes.length; at += 100_000) controller.enqueue(bytes.subarray(at, at + 100_000))
      controller.close()
    },
  })
  const streamed = { body: chunked, duplex: 'half' } as RequestInit
  t.is((await put(daemon, jobId, streamed, 'b.jsonl')).status, 411, 'its length is unknown')
  const short = await put(daemon, jobId, { body: bytes, headers: { 'upload-length': '9999999' } }, 'c.jsonl')
  t.is(short.status, 400)
  t.is(short.headers.get('upload-offset'), String(bytes.length - (bytes.length % chunk)))
  const long = await put(daemon, jobId, { body: bytes, headers: { 'upload-length': '70000' } }, 'd.jsonl')
  t.is(long.status, 413)
  t.is(((await long.json()) as { code: string }).code, 'upload_too_long')
  t.is((await put(daemon, jobId, { body: bytes, headers: { 'upload-generation': '3' } })).status, 409)
  const params = { jobId, fileId: 'a.jsonl' }
  t.is((await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })).status, 200)
  t.true(Buffer.from(await (await contentOf(daemon, jobId)).arrayBuffer()).equals(bytes))
})

test('a reset discards an upload: older parts become invalid, and its length may change', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const params = { jobId, fileId: 'a.jsonl' }
  const reset = (headers = {}) =>
    daemon.call('POST /api/sources/imports/:jobId/files/:fileId/reset', { params, headers })
  t.is((await reset()).status, 404)
  const bytes = randomBytes(2 * chunk)
  await uploadPart(daemon, { jobId, bytes, size: 4 * chunk })
  t.is((await reset({ 'upload-generation': '7' })).status, 409)
  const { body } = await reset({ 'upload-generation': '0' })
  t.like(body, { upload_generation: 1, upload_offset: 0, upload_size: null })
  t.deepEqual((await reset()).body, body, 'again')
  t.deepEqual(readdirSync(join(daemon.paths.imports, jobId)), [])
  t.is((await uploadPart(daemon, { jobId, bytes, size: 2 * chunk })).body.code, 'stale_generation')
  t.is((await uploadPart(daemon, { jobId, bytes, size: 2 * chunk, generation: 1 })).status, 200)
  await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  t.is((await reset()).status, 409, 'sealed')
  t.is(
    (await uploadPart(daemon, { jobId, bytes, size: 2 * chunk, generation: 1 })).status,
    200,
    'sealed, the same',
  )
})

test('two concurrent uploads of the same bytes both succeed; different bytes are a conflict', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(2 * 1024 * 1024)
  await Promise.all([uploadFile(daemon, { jobId, bytes }), uploadFile(daemon, { jobId, bytes })])
  const params = { jobId, fileId: 'a.jsonl' }
  const all = await Promise.all(
    [1, 2].map(() => daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })),
  )
  t.deepEqual(
    all.map(({ status }) => status),
    [200, 200],
  )
  const size = 2 * chunk
  const other = { jobId, fileId: 'b.jsonl', size }
  const both = await Promise.all([
    uploadPart(daemon, { ...other, bytes: Buffer.alloc(size, 1) }),
    uploadPart(daemon, { ...other, bytes: Buffer.alloc(size, 2) }),
  ])
  t.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
})

test('an upload whose bytes changed on disk is not sealed', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(3 * chunk)
  await uploadFile(daemon, { jobId, bytes })
  const folder = join(daemon.paths.imports, jobId)
  const [name = ''] = readdirSync(folder)
  t.true(readFileSync(join(folder, name)).equals(bytes))
  truncateSync(join(folder, name), 2 * chunk)
  const params = { jobId, fileId: 'a.jsonl' }
  const reply = await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  t.is(reply.status, 409)
  t.is(reply.body.code, 'upload_conflict')
})

test('an incomplete upload is not sealed, and a finished import accepts no bytes', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const bytes = randomBytes(chunk)
  await uploadPart(daemon, { jobId, bytes, size: 2 * chunk })
  await sealFile(daemon, { jobId, fileId: 'empty', bytes: Buffer.alloc(0) })
  t.is(await (await contentOf(daemon, jobId, 'empty')).text(), '')
  const params = { jobId, fileId: 'a.jsonl' }
  const open = await daemon.call('POST /api/sources/imports/:jobId/files/:fileId/finalize', { params })
  t.is(open.status, 409)
  t.is(open.headers.get('upload-offset'), String(chunk))
  t.is((await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })).status, 409)
  const cancelled = await daemon.call('POST /api/sources/imports/:jobId/cancel', { params: { jobId } })
  t.like(cancelled.body, { state: 'cancelled', changed: true })
  t.is((await uploadPart(daemon, { jobId, bytes, size: 2 * chunk, generation: 1 })).body.code, 'conflict')
  t.like(await fileOf(daemon, jobId), { upload_offset: 0, upload_size: null, cleanup_state: 'complete' })
  t.deepEqual(readdirSync(join(daemon.paths.imports, jobId)), [])
})
