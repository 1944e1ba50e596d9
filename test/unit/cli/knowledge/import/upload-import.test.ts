import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  type CallDaemon,
  type Upload,
  uploadFile,
} from '../../../../../src/cli/knowledge/import/upload-import.js'
import { ClientError } from '../../../../../src/client/http/client-error.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

const mib = 1024 * 1024
const bytes = 2 * mib + 10

/** Creates a file, and a daemon that records its requests. @param faults failures of the first requests. */
function prepareUpload(t: ExecutionContext, faults: Error[] = []) {
  const folder = temporaryFolder(t, 'upload')
  const path = join(folder, 'a.jsonl')
  writeFileSync(path, Buffer.alloc(bytes, 'x'))
  const asked: string[] = []
  const between = { requests: (): void => undefined }
  const call = async (address: string, request: { headers?: Record<string, string>; bytes?: Uint8Array }) => {
    const { 'upload-offset': offset, 'upload-generation': generation } = request.headers ?? {}
    asked.push(`${address.split('/').at(-1)} ${offset ?? ''} ${generation ?? ''}`.trim())
    const fault = faults.shift()
    if (fault) throw fault
    between.requests()
    return { upload_offset: Number(offset ?? 0) + (request.bytes?.length ?? 0), upload_generation: 1 }
  }
  const upload = (known?: Partial<NonNullable<Upload['known']>>, onlyGrows = false) =>
    uploadFile(call as CallDaemon, {
      jobId: 'one',
      file: { path, bytes, fileId: 'a', onlyGrows },
      known: known && { upload_offset: 0, upload_generation: 0, upload_size: bytes, sealed: false, ...known },
      onBytes: () => {},
    })
  return { path, asked, upload, between }
}

test('an interrupted upload resumes at its offset and generation', async t => {
  const { asked, upload } = prepareUpload(t)
  await upload({ upload_offset: mib, upload_generation: 3 })
  t.deepEqual(asked, [`:fileId ${mib} 3`, `:fileId ${2 * mib} 3`, 'finalize'])
})

test('a sealed file is not sent again, and a file of another length restarts', async t => {
  const sealed = prepareUpload(t)
  await sealed.upload({ upload_offset: bytes, sealed: true })
  t.deepEqual(sealed.asked, [])
  const other = prepareUpload(t)
  await other.upload({ upload_offset: mib, upload_size: 5 * mib })
  t.deepEqual(other.asked, ['reset', ':fileId 0 1', `:fileId ${mib} 1`, `:fileId ${2 * mib} 1`, 'finalize'])
})

test('a part is resent after a lost connection, but not after a refusal', async t => {
  const lost = prepareUpload(t, [new ClientError('lost', { code: 'connection_lost' })])
  await lost.upload()
  t.deepEqual(lost.asked.slice(0, 2), [':fileId 0 0', ':fileId 0 0'])
  const refused = prepareUpload(t, [
    new ClientError('no room', { code: 'insufficient_storage', status: 507 }),
  ])
  await t.throwsAsync(refused.upload(), { message: 'no room' })
})

test('a log that grows during upload is sent at its first length; any other changed file fails', async t => {
  const log = prepareUpload(t)
  appendFileSync(log.path, 'more')
  await log.upload(undefined, true)
  t.is(log.asked.at(-1), 'finalize')
  await t.throwsAsync(log.upload(), { message: /changed during the upload/u })
})

test('a file that shrinks during upload fails the upload', async t => {
  const { path, upload } = prepareUpload(t)
  writeFileSync(path, 'short')
  await t.throwsAsync(upload(), {
    message: /changed during the upload, from 2097162 to 5 bytes/u,
  })
})

test('a file that shrinks between two parts fails the upload, and nothing is sealed', async t => {
  const { path, asked, upload, between } = prepareUpload(t)
  between.requests = () => truncateSync(path, mib + 5)
  await t.throwsAsync(upload(), {
    message: /changed during the upload, from 2097162 to 1048581 bytes/u,
  })
  t.deepEqual(asked, [':fileId 0 0'])
})
