// runs: in turn

import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { endpoint, type FormShape } from '../../../../../../src/contract/ground/endpoint.js'
import { fullAccess } from '../../../../../../src/daemon/ground/visibility/caller.js'
import { type Input, route } from '../../../../../../src/daemon/platform/http/bind.js'
import { bindAll } from '../../../../../../src/daemon/platform/http/bind-all.js'
import { sweepSpool } from '../../../../../../src/daemon/platform/http/bodies/spool.js'
import { answerError } from '../../../../../../src/daemon/platform/http/errors.js'
import { workspacePaths } from '../../../../../../src/lib/workspace/paths.js'
import { bareApp } from '../../../../../helpers/bare-app.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'
import { until } from '../../../../../helpers/daemon-process.js'
import { rawOutcome } from '../../../../../helpers/raw-http.js'
import { servingDaemon } from '../../../../../helpers/serving-daemon.js'

const form: FormShape = { field: 'files', maxFiles: 3, maxFileBytes: 1000, maxBytes: 2500 }
const shape = endpoint({
  method: 'POST',
  path: '/forms',
  summary: 'Takes forms',
  permission: 'recall',
  mutates: false,
  form,
  body: z.object({ mode: z.enum(['a', 'b']).default('a'), notes: z.array(z.string()).optional() }),
  response: z.looseObject({}),
})

type Handle = (input: Input<typeof shape>) => Promise<Record<string, unknown>>

/** Replies with the received fields and files. */
const tell: Handle = async ({ body, files }) => ({
  ...body,
  files: await Promise.all(
    files.map(async file => ({
      name: file.fileName,
      type: file.contentType,
      tooLarge: file.isTooLarge,
      text: file.isTooLarge ? null : (await file.read()).toString(),
    })),
  ),
})

async function startForms(t: ExecutionContext, handle = tell) {
  const paths = workspacePaths(temporaryWorkspace(t))
  mkdirSync(paths.daemonDir, { recursive: true })
  const app = bareApp()
  app.decorateRequest('access', null)
  app.decorateRequest('largeBody', null)
  app.addHook('onRequest', async request => {
    request.access = fullAccess
  })
  app.setErrorHandler(answerError)
  let lastId = 0
  const daemon = servingDaemon({ paths, newId: () => `id-${++lastId}` })
  const plain = endpoint({ ...shape, path: '/plain', form: undefined as never })
  bindAll(app, async () => daemon, [
    route(shape, (_daemon, input) => handle(input)),
    route(plain, async () => ({})),
  ])
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const post = async (body: FormData | string, path = '/forms', headers?: Record<string, string>) => {
    const response = await fetch(url + path, { method: 'POST', body, ...(headers && { headers }) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { url, post, paths, left: () => (existsSync(paths.uploads) ? readdirSync(paths.uploads) : []) }
}

function formOf(
  files: Record<string, string>,
  fields: Record<string, string> = {},
  field = 'files',
): FormData {
  const data = new FormData()
  for (const [name, text] of Object.entries(files)) data.append(field, new File([text], name))
  for (const [name, text] of Object.entries(fields)) data.append(name, text)
  return data
}

test('files and fields arrive in any order, and no temporary file remains', async t => {
  const { post, left } = await startForms(t)
  const { status, body } = await post(formOf({ 'a.md': 'one', 'Größe.csv': '' }, { mode: 'b' }))
  t.is(status, 200)
  t.is(body.mode, 'b')
  t.like(body.files, [
    { name: 'a.md', text: 'one', tooLarge: false },
    { name: 'Größe.csv', text: '' },
  ])
  const repeated = formOf({}, { mode: 'a' })
  for (const note of ['x', 'y']) repeated.append('notes', note)
  t.deepEqual((await post(repeated)).body.notes, ['x', 'y'])
  t.deepEqual(left(), [])
})

test('the fields may arrive as JSON, and no other route accepts a form', async t => {
  const { post } = await startForms(t)
  const json = await post('{"mode":"b"}', '/forms', { 'content-type': 'application/json' })
  t.deepEqual(json, { status: 200, body: { mode: 'b', files: [] } })
  t.like(await post(formOf({ 'a.md': 'one' }), '/plain'), { status: 415 })
})

test('a file name is reduced to its last part', async t => {
  const { post } = await startForms(t)
  const names = ['../../etc/passwd', 'C:\\notes\\plan.md', '..\u0007\u0000']
  const told: unknown[] = []
  for (const name of names) {
    const { body } = await post(formOf({ [name]: 'x' }))
    told.push((body.files as { name: string }[])[0]?.name)
  }
  t.deepEqual(told, ['passwd', 'plan.md', '..'])
})

test('a too large file is reported, and the others arrive completely', async t => {
  const { post } = await startForms(t)
  const { body } = await post(formOf({ large: 'x'.repeat(1001), most: 'y'.repeat(1000) }))
  t.like(body.files, [
    { name: 'large', tooLarge: true, text: null },
    { name: 'most', tooLarge: false, text: 'y'.repeat(1000) },
  ])
})

test('too many files or bytes and wrong fields are refused after reading the whole body', async t => {
  const { post, left } = await startForms(t)
  const refused: [FormData, number, RegExp][] = [
    [formOf({ a: 'x', b: 'x', c: 'x', d: 'x' }), 413, /3 files/u],
    [formOf({ a: 'x'.repeat(1000), b: 'x'.repeat(1000), c: 'x'.repeat(1000) }), 413, /in total/u],
    [formOf({ a: 'x' }, {}, 'file'), 400, /field files, not in "file"/u],
    [formOf({ a: 'x' }, { mode: 'c' }), 400, /mode/u],
    [formOf({ a: 'x' }, { note: 'x'.repeat(65 * 1024) }), 413, /64 KiB/u],
    [formOf({ a: 'x' }, { __proto__x: 'x', constructor: 'x' }), 400, /form/u],
    [formOf({ a: 'x' }, { mode: 'a\u0000' }), 400, /NUL/u],
  ]
  for (const [data, status, message] of refused) {
    const reply = await post(data)
    t.is(reply.status, status)
    t.regex(String(reply.body.error), message)
  }
  t.deepEqual(left(), [])
})

test('a truncated form, a wrong boundary and another format are errors', async t => {
  const { url } = await startForms(t)
  const part = '--X\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\nwords'
  const whole = `${part}\r\n--X--\r\n`
  const bodies: [string, string, [number, string]][] = [
    ['multipart/form-data; boundary=X', whole, [200, 'ok']],
    ['multipart/form-data; boundary=X', part, [400, 'validation_failed']],
    ['multipart/form-data; boundary=Y', whole, [400, 'validation_failed']],
    ['multipart/form-data', whole, [400, 'validation_failed']],
    ['multipart/form-data; boundary=', whole, [400, 'validation_failed']],
    ['multipart/mixed; boundary=X', whole, [415, 'unsupported_media_type']],
    ['multipart/form-data; boundary=X', whole.replace('form-data', 'attachment'), [200, 'ok']],
  ]
  for (const [type, body, outcome] of bodies) {
    const headers = ['host: 127.0.0.1', `content-type: ${type}`]
    t.deepEqual(await rawOutcome(url, { line: 'POST /forms', headers, body }), outcome, `${type} ${body}`)
  }
})

test('a client that disconnects leaves no temporary file', async t => {
  const { url, post, left } = await startForms(t)
  for (let times = 0; times < 5; times++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    const part = '--X\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\nwords'
    socket.write(
      `POST /forms HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=X\r\ncontent-length: 5000\r\n\r\n${part}`,
    )
    await new Promise(resolve => setImmediate(resolve))
    socket.destroy()
  }
  // Disconnected clients release their places.
  await until(async () => (await post(formOf({ a: 'x' }))).status === 200)
  t.deepEqual(left(), [])
})

test('the use case is notified when its client disconnects', async t => {
  const heard: { left?: boolean; started?: boolean } = {}
  const { url } = await startForms(t, async ({ untilGone }) => {
    const signal = untilGone()
    heard.started = true
    await once(signal, 'abort')
    heard.left = true
    return {}
  })
  const leave = new AbortController()
  const reply = fetch(`${url}/forms`, { method: 'POST', body: formOf({ a: 'x' }), signal: leave.signal })
  await until(async () => heard.started === true)
  leave.abort()
  await t.throwsAsync(reply, { any: true })
  await until(async () => heard.left === true)
  t.true(heard.left)
})

test('temporary files of a killed daemon are removed', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  await sweepSpool({ paths })
  mkdirSync(paths.uploads, { recursive: true })
  writeFileSync(`${paths.uploads}/left`, '')
  await sweepSpool({ paths })
  t.deepEqual(readdirSync(paths.uploads), [])
})
