// runs: in turn

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../../src/store/embedding/embedder.js'
import {
  type FakeHandler,
  fakeVector,
  ollamaReply,
  openaiReply,
  openEmbedder,
  sendJson,
  startHttpFake,
  until,
  whenStatus,
} from '../../../helpers/embedding-fakes.js'

const secret = 'sk-very-secret-0123456789'
const call = { kind: 'document', deadlineMs: 100_000 } as const

interface Remote {
  path: string
  reply: typeof openaiReply | typeof ollamaReply
}

const remotes: Record<'openai' | 'ollama', Remote> = {
  openai: { path: '/v1/embeddings', reply: openaiReply },
  ollama: { path: '/v1/api/embed', reply: ollamaReply },
}

async function openRemote(
  t: ExecutionContext,
  provider: keyof typeof remotes,
  handler: FakeHandler,
  more = {},
) {
  const server = await startHttpFake(t, handler)
  const settings = { provider, model: 'some-model', baseUrl: `${server.url}/v1/`, apiKey: 'env:KEY', ...more }
  const resolveSecret = async (reference: string) => {
    if (reference === 'env:KEY') return secret
    throw new Error('not set')
  }
  return { server, embedder: openEmbedder(t, { settings, resolveSecret }) }
}

function unit(values: number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, value => value / length)
}

for (const provider of ['openai', 'ollama'] as const) {
  const { path, reply } = remotes[provider]

  test(`${provider}: texts become unit vectors in order, with the key as a bearer token`, async t => {
    const { server, embedder } = await openRemote(t, provider, (request, response) =>
      sendJson(response, 200, reply(request, 8)),
    )
    const vectors = await embedder.embed(['one', 'two', 'three'], call)
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      const expected = unit(fakeVector(text, 8))
      for (const [position, value] of vectors[index]!.entries())
        t.true(Math.abs(value - expected[position]!) < 1e-6)
    }
    const [request] = server.requests
    t.is(request?.path, path)
    t.is(request?.headers.authorization, `Bearer ${secret}`)
    t.like(JSON.parse(request?.body ?? ''), { model: 'some-model', input: ['one', 'two', 'three'] })
    t.like(embedder.status(), {
      provider,
      model: 'some-model',
      dimensions: 8,
      state: 'ready',
      available: true,
    })
  })

  test(`${provider}: many texts are sent in several requests and return in order`, async t => {
    const { server, embedder } = await openRemote(t, provider, (request, response) =>
      sendJson(response, 200, reply(request, 8)),
    )
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`)
    const vectors = await embedder.embed(texts, call)
    t.true(server.requests.length > 1)
    t.is(vectors.length, 150)
    const [last] = await embedder.embed(['text 149'], call)
    t.deepEqual(vectors[149], last)
  })

  const failures: { name: string; answer: FakeHandler; message: RegExp }[] = [
    {
      name: 'a refused key',
      answer: (_, response) => sendJson(response, 401, { error: { message: `bad key ${secret}` } }),
      message: /refused the key \(401\): check embedding\.apiKey/,
    },
    {
      name: 'too many requests',
      answer: (_, response) => sendJson(response, 429, { error: 'slow down' }, { 'retry-after': '7' }),
      message: /answered 429$/,
    },
    {
      name: 'a server error that quotes the key',
      answer: (_, response) => sendJson(response, 500, { error: { message: `broken with ${secret}` } }),
      message: /answered 500$/,
    },
    {
      name: 'a reply that is not JSON',
      answer: (_, response) => void response.end('<html>'),
      message: /did not return JSON/,
    },
    {
      name: 'a reply of another shape',
      answer: (_, response) => sendJson(response, 200, { data: [{ embedding: 'no' }], embeddings: 'no' }),
      message: /provider returned/,
    },
    {
      name: 'too few vectors',
      answer: (_, response) => sendJson(response, 200, { data: [], embeddings: [] }),
      message: /0 vectors for 1 texts/,
    },
    {
      name: 'a redirect',
      answer: (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      message: /can't be reached/,
    },
    {
      name: 'a broken connection',
      answer: (_, response) => void response.destroy(),
      message: /can't be reached/,
    },
  ]

  for (const { name, answer, message } of failures) {
    test(`${provider}: ${name} is reported without the key`, async t => {
      const { embedder } = await openRemote(t, provider, answer)
      const error = await t.throwsAsync(embedder.embed(['text'], call), {
        instanceOf: EmbeddingUnavailable,
        message,
      })
      t.false(JSON.stringify([error?.message, String(error?.cause), embedder.status()]).includes(secret))
    })
  }

  const zeros = Array.from({ length: 8 }, () => 0)
  const refusals: FakeHandler[] = [
    ...[400, 413, 422].map(
      (status): FakeHandler =>
        (_, response) =>
          sendJson(response, status, { error: 'too long' }),
    ),
    (_, response) => sendJson(response, 200, { data: [{ index: 0, embedding: zeros }], embeddings: [zeros] }),
  ]

  test(`${provider}: a refused text does not count against the provider`, async t => {
    let refuse: FakeHandler | undefined
    const { embedder } = await openRemote(t, provider, (request, response) =>
      refuse && request.body.includes('unwanted')
        ? refuse(request, response)
        : sendJson(response, 200, reply(request, 8)),
    )
    await embedder.embed(['text'], call)
    for (refuse of [...refusals, ...refusals])
      await t.throwsAsync(embedder.embed(['unwanted'], call), { instanceOf: EmbeddingRefused })
    t.like(embedder.status(), { state: 'ready', available: true, error: undefined })
    t.is((await embedder.embed(['text'], { kind: 'query', deadlineMs: 100_000 })).length, 1)
  })

  test(`${provider}: a provider that refuses every text fails`, async t => {
    const { embedder } = await openRemote(t, provider, (_, response) =>
      sendJson(response, 400, { error: 'no such option' }),
    )
    await t.throwsAsync(embedder.embed(['text'], call), { instanceOf: EmbeddingRefused })
    const { error } = await whenStatus(embedder, ({ state }) => state === 'failing')
    t.regex(error ?? '', /answered 400$/)
  })

  test(`${provider}: error texts of the server are never repeated, because they may quote a text`, async t => {
    const said = 'the private words of someone'
    for (const status of [400, 401, 404, 429, 500]) {
      const { embedder } = await openRemote(t, provider, (_, response) =>
        sendJson(response, status, { error: { message: `can't embed "${said}"` } }),
      )
      const error = await t.throwsAsync(embedder.embed([said], call), { message: new RegExp(`${status}`) })
      const told = [error?.message, String(error?.cause), embedder.status()]
      t.false(JSON.stringify(told).includes('private words'), String(status))
    }
  })

  test(`${provider}: vectors with changed dimensions are refused`, async t => {
    let dimensions = 8
    const { embedder } = await openRemote(t, provider, (request, response) =>
      sendJson(response, 200, reply(request, dimensions)),
    )
    await embedder.embed(['text'], call)
    dimensions = 9
    await t.throwsAsync(embedder.embed(['text'], call), { message: /9 dimensions instead of 8/ })
    t.is(embedder.status().state, 'failing')
  })

  test(`${provider}: a call without a reply ends at its deadline and closes the connection`, async t => {
    let hangs = false
    // On a busy machine the deadline may pass before the request arrives; then no connection has to be
    // closed.
    const unanswered: { destroyed: boolean }[] = []
    const { embedder } = await openRemote(t, provider, (request, response) => {
      if (!hangs) return sendJson(response, 200, reply(request, 8))
      unanswered.push(response)
    })
    await embedder.embed(['text'], call)
    hangs = true
    await t.throwsAsync(embedder.embed(['text'], { ...call, deadlineMs: 1_000 }), {
      instanceOf: EmbeddingUnavailable,
      message: 'no vector within 1000 ms',
    })
    await until(() => unanswered.every(({ destroyed }) => destroyed))
    t.true(unanswered.length <= 1)
  })

  test(`${provider}: a missing key is named, and nothing is sent`, async t => {
    const { server, embedder } = await openRemote(
      t,
      provider,
      (request, response) => sendJson(response, 200, reply(request, 8)),
      { apiKey: 'env:OTHER_KEY' },
    )
    await t.throwsAsync(embedder.embed(['text'], call), { message: /"env:OTHER_KEY", which is not set/ })
    t.is(server.requests.length, 0)
  })
}

test('openai: configured dimensions are requested', async t => {
  const { server, embedder } = await openRemote(
    t,
    'openai',
    (request, response) => sendJson(response, 200, openaiReply(request, 16)),
    { dimensions: 16 },
  )
  await embedder.embed(['text'], call)
  t.is(JSON.parse(server.requests[0]?.body ?? '').dimensions, 16)
})

test('openai: a reply with a duplicate index is refused', async t => {
  const data = [1, 1].map(index => ({ index, embedding: [1, 2] }))
  const { embedder } = await openRemote(t, 'openai', (_, response) => sendJson(response, 200, { data }))
  await t.throwsAsync(embedder.embed(['a', 'b'], call), { message: /two vectors for one text/ })
})

test('openai: a reply larger than 32 MB is not read to its end', async t => {
  const { embedder } = await openRemote(t, 'openai', (_, response) => {
    response.writeHead(200)
    const block = Buffer.alloc(1 << 20, 32)
    const more = () => {
      while (!response.destroyed && response.write(block));
      response.once('drain', more)
    }
    more()
  })
  await t.throwsAsync(embedder.embed(['text'], call), { message: /more than 33554432 bytes/ })
})

const encodings: Record<string, (text: Buffer) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  Identity: text => text,
}

for (const [encoding, compress] of Object.entries(encodings))
  test(`openai: an unrequested compressed reply is read: ${encoding}`, async t => {
    const { server, embedder } = await openRemote(t, 'openai', (request, response) => {
      const body = compress(Buffer.from(JSON.stringify(openaiReply(request, 64))))
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    })
    const [vector] = await embedder.embed(['text'], call)
    t.deepEqual(vector, unit(fakeVector('text', 64)))
    t.is(server.requests[0]?.headers['accept-encoding'], 'identity')
  })

for (const [what, headers, body, message] of [
  [
    'an unknown encoding',
    { 'content-encoding': 'zstd' },
    Buffer.from('x'),
    /a content encoding other than gzip/,
  ],
  [
    'another encoding than declared',
    { 'content-encoding': 'gzip' },
    Buffer.from('{}'),
    /can't be decompressed/,
  ],
  [
    'a truncated body',
    { 'content-encoding': 'br' },
    brotliCompressSync('{}').subarray(0, 3),
    /can't be decompr/,
  ],
] as const)
  test(`openai: a reply with ${what} is refused`, async t => {
    const { embedder } = await openRemote(t, 'openai', (_, response) =>
      response.writeHead(200, headers).end(body),
    )
    await t.throwsAsync(embedder.embed(['text'], call), { instanceOf: EmbeddingUnavailable, message })
  })

test('openai: a compressed error is reported by its status', async t => {
  const { embedder } = await openRemote(t, 'openai', (_, response) =>
    response.writeHead(401, { 'content-encoding': 'zstd' }).end('x'),
  )
  await t.throwsAsync(embedder.embed(['text'], call), { message: /refused the key \(401\)/ })
})

for (const [encoding, compress] of [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)
  test(`openai: a ${encoding} reply larger than 32 MB decompressed is not read to its end`, async t => {
    const bomb = compress(Buffer.alloc(40 << 20, 32))
    const { embedder } = await openRemote(t, 'openai', (_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    )
    await t.throwsAsync(embedder.embed(['text'], call), { message: /more than 33554432 bytes/ })
  })

test('a password in the address is refused and not quoted', async t => {
  const embedder = openEmbedder(t, {
    settings: { provider: 'openai', baseUrl: 'http://me:hunter2@127.0.0.1:9/v1' },
  })
  const error = await t.throwsAsync(embedder.embed(['text'], call), {
    message: /must not contain a user name/,
  })
  t.notRegex(`${error?.message} ${embedder.status().error}`, /hunter2/)
})

test('ollama: an unknown model is reported', async t => {
  const { embedder } = await openRemote(t, 'ollama', (_, response) =>
    sendJson(response, 404, { error: 'model "some-model" not found, try pulling it first' }),
  )
  await t.throwsAsync(embedder.embed(['text'], call), { message: /404: check embedding\.model/ })
  t.is(embedder.status().state, 'failing')
})
