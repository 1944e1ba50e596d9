import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { cpuMsOfTurns } from '../helpers/cpu-time.js'
import { startDaemon } from '../helpers/daemon.js'
import { startTeam } from '../helpers/team.js'

const mebibyte = 1024 * 1024
/**
 * A turn may take 50 ms, which tests that run alone check. This figure also includes the client of these
 * tests, the compiler and other threads.
 */
const mostMsOfTurn = 200

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of many routes
  body: any
}

interface PostOptions {
  headers?: Record<string, string>
  /** Without a length, in chunks. */
  chunked?: boolean
}

/** Sends a prepared body, so that only the daemon's work takes time. */
async function post(
  url: string,
  path: string,
  body: Buffer,
  { headers, chunked }: PostOptions = {},
): Promise<Answer> {
  const request = httpRequest(new URL(path, url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(!chunked && { 'content-length': body.length }),
      ...headers,
    },
  })
  // If the daemon refuses the body unread, the connection may be closed while it is sent.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(response, 'end')
  return { status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }
}

/**
 * Sends blanks and reads nothing before the last of them. Returns the answer, as it comes over the wire.
 * @throws Error when the connection ends before
 */
async function sendThenRead(url: string, mebibytes: number, { chunked }: { chunked: boolean }) {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const length = chunked ? 'transfer-encoding: chunked' : `content-length: ${mebibytes * mebibyte}`
  const blanks = Buffer.alloc(mebibyte, ' ')
  async function* parts() {
    yield `POST ${save} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
    for (let sent = 0; sent < mebibytes; sent++) {
      if (chunked) yield `${mebibyte.toString(16)}\r\n`
      yield blanks
      if (chunked) yield '\r\n'
    }
    if (chunked) yield '0\r\n\r\n'
  }
  try {
    await pipeline(parts(), socket, { end: false })
    let text = ''
    for await (const data of socket) {
      text += data
      if (text.endsWith('}')) break
    }
    return text
  } finally {
    socket.destroy()
  }
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":${at % 10}`).join(',')}}`
const words = (length: number): string => 'the crane lifts \n a load; '.repeat(length / 26)

const save = '/api/memory/remember'

test.serial(
  'a body with hundreds of thousands of keys is refused without blocking other requests',
  async t => {
    const { url } = await startDaemon(t)
    const body = Buffer.from(`{"content":"x","metadata":${keys(600_000)}}`)
    const state: { answer?: Answer } = {}
    const turns = await cpuMsOfTurns(
      post(url, save, body).then(answer => {
        state.answer = answer
      }),
    )
    t.is(state.answer?.status, 400)
    t.like(state.answer?.body, { code: 'validation_failed' })
    t.regex(state.answer?.body.error, /more than 10000 members/)
    t.true((turns.at(-1) ?? 0) < mostMsOfTurn, `${turns.at(-1)} ms`)
  },
)

test.serial('a memory of almost 10 MiB is saved and recalled without blocking other requests', async t => {
  const { url } = await startDaemon(t)
  const content = `${words(9.2 * mebibyte)} and it never  stops. Does it? [no.`
  const timed = async (path: string, body: Buffer): Promise<Answer> => {
    const state: { answer?: Answer } = {}
    const turns = await cpuMsOfTurns(
      post(url, path, body).then(answer => {
        state.answer = answer
      }),
    )
    t.true((turns.at(-1) ?? 0) < mostMsOfTurn, `${path}: ${turns.at(-1)} ms`)
    t.is(state.answer?.status, 200)
    return state.answer as Answer
  }
  const { body: saved } = await timed(save, json({ content }))
  t.like(saved, { type: 'rule', deduped: false })
  t.true(saved.content === content.trim().replace(/\s+/gu, ' '))
  const recall = await timed('/api/memory/recall', json({ query: 'when does the crane lift a load' }))
  t.is(recall.body.results[0].id, saved.id)
  t.true(recall.body.results[0].content === saved.content)
  t.regex(recall.body.message, /the crane lifts a load; .*…/)
  const again = await post(url, save, json({ content: content.toUpperCase() }))
  t.like(again.body, { deduped: true, id: saved.id })
})

test('large bodies that arrive together are all served, with small requests in between', async t => {
  const { url, call } = await startDaemon(t)
  const text = words(mebibyte)
  let answered = 0
  const all = Array.from({ length: 20 }, async (_, at) => {
    const { status } = await post(url, save, json({ content: `${at} ${text}` }), { chunked: at % 2 === 0 })
    answered++
    return status
  })
  t.is((await call('GET /health')).status, 200)
  t.is((await call('GET /api/memories')).status, 200)
  t.true(answered < 20)
  t.deepEqual(await Promise.all(all), Array(20).fill(200))
})

test('characters that cannot be stored are found in a large body too (rules.md#conventions)', async t => {
  const { url, call } = await startDaemon(t)
  const text = words(mebibyte)
  for (const fault of ['\\u0000', '\\ud800']) {
    const body = Buffer.from(`{"content":${JSON.stringify(text)},"metadata":{"a":["x${fault}"]}}`)
    const { status, body: answer } = await post(url, save, body)
    t.is(status, 400)
    t.like(answer, { code: 'validation_failed' })
    t.is(answer.details[0].path, 'metadata.a.0')
  }
  const broken = await post(url, save, Buffer.from(`{"content":${JSON.stringify(text)}`))
  t.deepEqual([broken.status, broken.body.code], [400, 'invalid_json'])
  const poisoned = await post(url, save, Buffer.from(`{"content":${JSON.stringify(text)},"__proto__":{}}`))
  t.deepEqual([poisoned.status, poisoned.body.code], [400, 'invalid_json'])
  t.is((await call('GET /api/memories')).body.stats.total, 0)
})

test('a conversation of 5 MiB is accepted as text and as turns, including NUL characters', async t => {
  const { url } = await startDaemon(t)
  const hook = { harness: 'claude-code', sessionKey: 's' }
  const transcript = `user: where is the crane?\u0000\nassistant: ${words(5 * mebibyte)}`
  const asText = await post(url, '/api/hooks/session-end', json({ ...hook, transcript }))
  t.like(asText, { status: 200, body: { transcript: 'queued' } })
  const turns = Array.from({ length: 8000 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: [{ type: 'text', text: `${at} ${words(600)}` }],
  }))
  const asTurns = await post(
    url,
    '/api/hooks/session-end',
    json({ ...hook, sessionKey: 'r', transcript: turns }),
  )
  t.like(asTurns, { status: 200, body: { transcript: 'queued' } })
})

test('clients that disconnect during a large body release their slot', async t => {
  const { url } = await startDaemon(t)
  const { hostname, port } = new URL(url)
  // More than the daemon reads at a time.
  const gone = Array.from({ length: 24 }, async () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const head = `POST ${save} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${9 * mebibyte}\r\n\r\n{`
    await new Promise(resolve => socket.write(head, resolve))
    return socket
  })
  for (const socket of await Promise.all(gone)) socket.destroy()
  t.is((await post(url, save, json({ content: words(mebibyte) }))).status, 200)
})

// By themselves: a daemon reads on for ten seconds after its answer, which is enough for one client.
for (const chunked of [false, true])
  test.serial(
    `a client that sends 65 MiB ${chunked ? 'in chunks' : 'with its length'} before it reads gets the error`,
    async t => {
      const { url } = await startDaemon(t)
      const answer = await sendThenRead(url, 65, { chunked })
      t.regex(answer, /^HTTP\/1\.1 413 .*"code":"payload_too_large"\}$/su)
    },
  )

test('a body without an end is cut off', async t => {
  const { url } = await startDaemon(t)
  await t.throwsAsync(sendThenRead(url, 2048, { chunked: true }))
})

test('callers without a credential can send at most 4 KiB', async t => {
  const { url } = await startTeam(t, { environment: { SERVICE_ADMIN_PASSWORD: 'open sesame' } })
  const login = (junk: number) =>
    post(url, '/api/auth/login', json({ username: 'admin', password: 'open sesame', junk: 'x'.repeat(junk) }))
  t.is((await login(4000)).status, 200)
  for (const path of ['/api/auth/login', '/api/auth/login/sso', '/api/auth/saml']) {
    const { status, body } = await post(url, path, json({ junk: 'x'.repeat(5000) }))
    t.deepEqual([status, body.code], [413, 'payload_too_large'], path)
  }
})

for (const charset of ['utf-16', 'UTF-7', 'iso-8859-1', '"utf-16le"'])
  test(`JSON in ${charset} is refused (rules.md#conventions)`, async t => {
    const { url } = await startDaemon(t)
    for (const path of [save, '/api/import']) {
      const type = path === save ? 'application/json' : 'application/x-ndjson'
      const headers = { 'content-type': `${type}; charset=${charset}` }
      const { status, body } = await post(url, path, json({ content: 'x' }), { headers })
      t.deepEqual([status, body.code], [415, 'unsupported_media_type'], path)
    }
  })

test('a compressed body is refused with that reason (rules.md#conventions)', async t => {
  const { url } = await startDaemon(t)
  const packed = gzipSync(json({ content: 'x' }))
  const accept = 'application/json, text/event-stream'
  for (const [path, type] of [
    [save, 'application/json'],
    ['/api/import', 'application/x-ndjson'],
    ['/api/sources/import', 'multipart/form-data; boundary=x'],
    ['/mcp', 'application/json'],
  ] as const) {
    const headers = { accept, 'content-type': type, 'content-encoding': 'gzip' }
    const { status, body } = await post(url, path, packed, { headers })
    t.is(status, 415, path)
    t.regex(JSON.stringify(body), /Content-Encoding .*gzip.* is not supported/u, path)
  }
  const plain = { 'content-encoding': 'identity' }
  t.is((await post(url, save, json({ content: 'y' }), { headers: plain })).status, 200)
})

test('JSON declared as UTF-8 is accepted', async t => {
  const { url } = await startDaemon(t)
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8; profile=x']) {
    const headers = { 'content-type': `application/json; charset=${charset}` }
    t.is((await post(url, save, json({ content: `größer ${charset}` }), { headers })).status, 200, charset)
  }
})
