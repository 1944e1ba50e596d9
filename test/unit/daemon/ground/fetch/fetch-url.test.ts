// runs: alone

import { gzipSync } from 'node:zlib'
import test from 'ava'
import { fetchUrl } from '../../../../../src/daemon/ground/fetch/fetch-url.js'
import type { FetchFault } from '../../../../../src/daemon/ground/fetch/guarded-lookup.js'
import { startHttpFake } from '../../../../helpers/embedding-fakes.js'

const open = { allowPrivate: true, signal: new AbortController().signal }

test('a page is fetched with its type, and the request names product and address', async t => {
  const server = await startHttpFake(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('the crane'),
  )
  const { bytes, contentType, url } = await fetchUrl(`${server.url}/page`, open)
  t.is(bytes.toString(), 'the crane')
  t.is(contentType, 'text/plain')
  t.is(url, `${server.url}/page`)
  const [request] = server.requests
  t.regex(request?.headers['user-agent'] ?? '', /^memory-service\/\S+ \(\+https:\/\//u)
  t.is(request?.headers.authorization, undefined)
  t.is(request?.headers.cookie, undefined)
})

test('five redirects are followed, a sixth is refused (documents.md#files-and-addresses)', async t => {
  const server = await startHttpFake(t, ({ path }, response) => {
    const left = Number(path.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  t.is((await fetchUrl(`${server.url}/5`, open)).url, `${server.url}/0`)
  await t.throwsAsync(fetchUrl(`${server.url}/6`, open), { message: /redirects more than 5 times/u })
})

for (const [what, location, message] of [
  ['a file', 'file:///etc/passwd', /is not an http or https URL/u],
  ['a password', 'http://me:secret@127.0.0.1/', /user name or password/u],
] as const)
  test(`a redirect to ${what} is refused (documents.md#files-and-addresses)`, async t => {
    const server = await startHttpFake(t, (_request, response) => response.writeHead(301, { location }).end())
    await t.throwsAsync(fetchUrl(server.url, open), { message })
  })

for (const address of [
  'http://127.0.0.1:1/',
  'http://2130706433/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:1/',
])
  test(`${address} is not fetched unless the settings allow it (documents.md#files-and-addresses)`, async t => {
    const error = await t.throwsAsync<FetchFault>(fetchUrl(address, { ...open, allowPrivate: false }), {
      message: /this machine or a private network; allow it with documents\.allowPrivateHosts/u,
    })
    t.false(error?.isPassing)
  })

test('proxy variables of the environment are ignored (documents.md#files-and-addresses)', async t => {
  const server = await startHttpFake(t, (_request, response) => response.end('direct'))
  const before = process.env.http_proxy
  process.env.http_proxy = 'http://127.0.0.1:1'
  t.teardown(() => {
    if (before === undefined) delete process.env.http_proxy
    else process.env.http_proxy = before
  })
  t.is((await fetchUrl(server.url, open)).bytes.toString(), 'direct')
})

test('the size limit applies after decompression (documents.md#files-and-addresses)', async t => {
  const bomb = gzipSync(Buffer.alloc(26 * 1024 * 1024))
  const server = await startHttpFake(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  t.true(bomb.length < 100_000)
  await t.throwsAsync(fetchUrl(server.url, open), { message: /larger than 25 MiB/u })
})

test('one deadline covers headers and body (documents.md#files-and-addresses)', async t => {
  const server = await startHttpFake(t, (_request, response) => {
    response.writeHead(200).write('begins and never ends')
  })
  const error = await t.throwsAsync<FetchFault>(fetchUrl(server.url, { ...open, deadlineMs: 100 }), {
    message: /did not answer in full within 0\.1 s/u,
  })
  t.true(error?.isPassing)
})

test('a page shorter than its declared length is refused (documents.md#failures)', async t => {
  const server = await startHttpFake(t, (_request, response) => {
    response.writeHead(200, { 'content-length': 5000 }).write('the first half')
    setImmediate(() => response.destroy())
  })
  const error = await t.throwsAsync<FetchFault>(fetchUrl(server.url, open), { message: /can't be fetched/u })
  t.true(error?.isPassing)
})

test('an abort ends a fetch with its reason', async t => {
  const life = new AbortController()
  const server = await startHttpFake(t, () => life.abort(new Error('stopped')))
  await t.throwsAsync(fetchUrl(server.url, { ...open, signal: life.signal }), { message: 'stopped' })
})

for (const [status, isPassing] of [
  [404, false],
  [403, false],
  [429, true],
  [500, true],
  [503, true],
] as const)
  test(`status ${status} ${isPassing ? 'is a passing fault' : 'is a permanent fault'} (documents.md#failures)`, async t => {
    const server = await startHttpFake(t, (_request, response) => response.writeHead(status).end('no'))
    const error = await t.throwsAsync<FetchFault>(fetchUrl(server.url, open), {
      message: new RegExp(`answered ${status}$`, 'u'),
    })
    t.is(error?.isPassing, isPassing)
  })

test('a missing body and an unknown encoding are refused', async t => {
  const server = await startHttpFake(t, ({ path }, response) =>
    response
      .writeHead(200, path === '/none' ? {} : { 'content-encoding': 'zz' })
      .end(path === '/none' ? '' : 'x'),
  )
  await t.throwsAsync(fetchUrl(`${server.url}/none`, open), { message: /returned an empty body/u })
  await t.throwsAsync(fetchUrl(`${server.url}/zz`, open), {
    message: /a content encoding other than gzip, deflate or br/u,
  })
})
