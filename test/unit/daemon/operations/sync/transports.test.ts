import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { s3Transport } from '../../../../../src/daemon/operations/sync/transports/s3.js'
import {
  type Transport,
  TransportFault,
  type TransportOptions,
} from '../../../../../src/daemon/operations/sync/transports/transport.js'
import { webdavTransport } from '../../../../../src/daemon/operations/sync/transports/webdav.js'
import { s3Credentials, startFakeS3 } from '../../../../helpers/fake-s3.js'
import type { FakeStore } from '../../../../helpers/fake-store.js'
import { startFakeWebdav, webdavCredentials } from '../../../../helpers/fake-webdav.js'
import { testTransport } from '../../../../helpers/transport-suite.js'

type Scope = ExecutionContext

/** Servers that `.ci/places` started. */
const real = { s3: process.env.MEMORY_TEST_S3, webdav: process.env.MEMORY_TEST_WEBDAV }

const store = 'a'.repeat(32)
const names = [1, 2, 3].map(
  number => `${store}/k7qm/${String(number).padStart(10, '0')}-${'b'.repeat(64)}.seg`,
)

function optionsOf(t: Scope, place: string, credentials: string): TransportOptions {
  const life = new AbortController()
  t.teardown(() => life.abort())
  const deps = {} as TransportOptions['deps']
  return { place, credentials: async () => credentials, advice: 'store others', signal: life.signal, deps }
}

function s3At(
  t: Scope,
  endpoint: string,
  { prefix = 'my notes/+1', credentials = s3Credentials } = {},
): Transport {
  const at = { kind: 's3', bucket: 'shelf', prefix, endpoint: new URL(endpoint), region: undefined } as const
  return opened(t, s3Transport(at, optionsOf(t, `s3://shelf/${prefix}`, credentials)))
}

function webdavAt(
  t: Scope,
  url: string,
  { folder = '/dav/notes/', credentials = webdavCredentials } = {},
): Transport {
  const at = new URL(folder, url)
  return opened(t, webdavTransport(at, optionsOf(t, at.href.replace('http', 'webdav'), credentials)))
}

function opened(t: Scope, transport: Transport): Transport {
  t.teardown(() => transport.close())
  return transport
}

const few = { files: 150 }

for (const [title, options] of Object.entries({
  'S3 by pages': { pageSize: 40 },
  'S3 without conditions': { conditional: false },
}))
  testTransport(
    title,
    async t => {
      const fake = await startFakeS3(t, options)
      const one = s3At(t, fake.url)
      return { one, two: s3At(t, fake.url), cutPut: (name, bytes) => cutPut(fake, one, name, bytes) }
    },
    few,
  )

for (const [title, options] of Object.entries({
  'WebDAV with Basic': {},
  'WebDAV with Digest': { login: 'digest' },
  'WebDAV behind a proxy': { inside: 'https://inner.example' },
} as const))
  testTransport(
    title,
    async t => {
      const fake = await startFakeWebdav(t, options)
      const one = webdavAt(t, fake.url)
      return { one, two: webdavAt(t, fake.url), cutPut: (name, bytes) => cutPut(fake, one, name, bytes) }
    },
    few,
  )

/** A server that writes in place keeps the half that arrived. */
async function cutPut(fake: FakeStore, one: Transport, name: string, bytes: Uint8Array): Promise<void> {
  fake.fault = ({ method, path, body }) => {
    if (method !== 'PUT' || body.length < bytes.length) return undefined
    if (path.startsWith('/dav/')) fake.files.set(path, body.subarray(0, body.length / 2))
    return 'dead'
  }
  await one.put(name, bytes).catch(error => {
    if (!(error instanceof TransportFault && error.kind === 'unreachable')) throw error
  })
  fake.fault = undefined
}

if (real.s3 !== undefined)
  testTransport(
    'a server of S3',
    async t => {
      const prefix = randomBytes(8).toString('hex')
      const [one, two] = [s3At(t, real.s3!, { prefix }), s3At(t, real.s3!, { prefix })]
      return { one, two, cutPut: async () => undefined }
    },
    few,
  )

if (real.webdav !== undefined)
  testTransport(
    'a server of WebDAV',
    async t => {
      const name = randomBytes(8).toString('hex')
      await webdavAt(t, real.webdav!, { folder: '/dav/' }).put(`${name}/made`, Buffer.from('x'))
      const folder = `/dav/memory-sync/${name}/`
      const [one, two] = [webdavAt(t, real.webdav!, { folder }), webdavAt(t, real.webdav!, { folder })]
      return { one, two, cutPut: async () => undefined }
    },
    few,
  )

const both: Record<string, (t: Scope) => Promise<{ fake: FakeStore; transport: Transport }>> = {
  S3: async t => {
    const fake = await startFakeS3(t)
    return { fake, transport: s3At(t, fake.url) }
  },
  WebDAV: async t => {
    const fake = await startFakeWebdav(t)
    return { fake, transport: webdavAt(t, fake.url) }
  },
}

/** The fault that each request has with such a server. */
async function faults(t: Scope, transport: Transport): Promise<TransportFault[]> {
  const tries = [transport.list(), transport.get(names[0]!), transport.put(names[0]!, Buffer.from('x'))]
  return Promise.all(
    tries.map(async one => (await t.throwsAsync(one, { instanceOf: TransportFault })) as TransportFault),
  )
}

for (const [title, open] of Object.entries(both)) {
  test(`${title}: a busy server, a cut answer and a dead one may be asked again`, async t => {
    const { fake, transport } = await open(t)
    await transport.put(names[0]!, randomBytes(500))
    for (const status of [429, 500, 503]) {
      fake.fault = () => ({ status, headers: { 'retry-after': '7' } })
      for (const { kind, retryAfterMs, message } of await faults(t, transport)) {
        t.deepEqual([kind, retryAfterMs], ['unreachable', 7000])
        t.regex(message, new RegExp(`answered ${status}`, 'u'))
      }
    }
    fake.fault = () => 'cut'
    t.is(((await t.throwsAsync(transport.list())) as TransportFault).kind, 'unreachable')
    t.is(((await t.throwsAsync(transport.get(names[0]!))) as TransportFault).kind, 'unreachable')
    fake.fault = undefined
    t.is((await transport.list()).length, 1)
  })

  test(`${title}: a put whose answer was lost is put once`, async t => {
    const { fake, transport } = await open(t)
    const bytes = randomBytes(3000)
    await transport.put(names[0]!, bytes)
    for (const lost of ['PUT', 'MOVE']) {
      fake.fault = ({ method }) => (method === lost ? 'lost' : undefined)
      await transport
        .put(names[1]!, bytes)
        .catch(error => t.is((error as TransportFault).kind, 'unreachable'))
      fake.fault = undefined
      await transport.put(names[1]!, bytes)
      t.deepEqual(await transport.get(names[1]!), bytes)
    }
  })

  test(`${title}: a redirect is named, and its target is asked nothing`, async t => {
    const { fake, transport } = await open(t)
    const other = await startFakeS3(t)
    await transport.list()
    fake.fault = ({ path }) => ({ status: 307, headers: { location: `${other.url}${path}` } })
    for (const { kind, message } of await faults(t, transport)) {
      t.is(kind, 'damaged')
      t.true(message.includes(`redirects to ${other.url}`), message)
    }
    t.deepEqual(other.asked, [])
  })

  test(`${title}: a web page is not taken for a list, a file or a receipt`, async t => {
    const { fake, transport } = await open(t)
    const body = '<!doctype html><title>Log in to the hotel</title>'
    for (const status of [200, 403, 404, 207]) {
      fake.fault = () => ({ status, headers: { 'content-type': 'text/html' }, body })
      // Servers of WebDAV have a page for what is not there.
      const message =
        status === 404 && title === 'WebDAV' ? /the folder .* is not there/u : /answered with a web page/u
      await t.throwsAsync(transport.list(), { message })
      if (!message.test('the folder x is not there'))
        await t.throwsAsync(transport.get(names[0]!), { message })
      await t.throwsAsync(transport.put(names[0]!, Buffer.from('x')), { instanceOf: TransportFault })
    }
    fake.fault = () => ({ status: 200, body: '' })
    await t.throwsAsync(transport.list(), { message: /something else than a list/u })
  })

  test(`${title}: a wrong password is named without being repeated`, async t => {
    const { fake } = await open(t)
    const wrong =
      title === 'S3'
        ? s3At(t, fake.url, { credentials: 'AKIDEXAMPLE:swordfish' })
        : webdavAt(t, fake.url, { credentials: 'maya:swordfish' })
    for (const { kind, message } of await faults(t, wrong)) {
      t.is(kind, 'refused')
      t.notRegex(message, /swordfish/u)
      t.regex(message, /store others/u)
    }
  })

  test(`${title}: names of any letters are kept, and a half is replaced by the whole`, async t => {
    const { fake, transport } = await open(t)
    const name = `${store}/joining/k7qm (conflicted copy) ü&+%41.req`
    await transport.put(name, Buffer.from('x'))
    t.deepEqual(await transport.list(), [{ name, bytes: 1 }])
    t.is(String(await transport.get(name)), 'x')
    await transport.remove(name)
    t.is(fake.files.size, 0)
    const bytes = randomBytes(70_000)
    await transport.put(names[1]!, bytes.subarray(0, 20_000))
    await transport.put(names[1]!, bytes)
    t.deepEqual(await transport.get(names[1]!), bytes)
  })

  test(`${title}: a place that is full says so`, async t => {
    const { fake, transport } = await open(t)
    await transport.put(names[1]!, randomBytes(10))
    fake.fault = ({ method }) => (method === 'PUT' ? { status: 507 } : undefined)
    const fault = await t.throwsAsync(transport.put(names[0]!, randomBytes(10)))
    t.is((fault as TransportFault).kind, 'full')
  })
}

test('S3: a clock that is wrong, another region, and a bucket that is not there are named', async t => {
  const { fake, transport } = await both.S3!(t)
  const answer = (status: number, code: string, more = '') => ({
    status,
    headers: { date: new Date(Date.now() - 47 * 60_000).toUTCString() },
    body: `<Error><Code>${code}</Code>${more}</Error>`,
  })
  fake.fault = () => answer(403, 'RequestTimeTooSkewed')
  for (const { message } of await faults(t, transport))
    t.regex(message, /clock of this machine is 47 minutes off/u)
  fake.fault = () => answer(400, 'AuthorizationHeaderMalformed', '<Region>eu-north-1</Region>')
  for (const { message } of await faults(t, transport)) t.regex(message, /name it with region=eu-north-1/u)
  fake.fault = () => answer(404, 'NoSuchBucket')
  for (const { kind } of await faults(t, transport)) t.is(kind, 'absent')
  fake.fault = () => answer(503, 'SlowDown')
  for (const { kind } of await faults(t, transport)) t.is(kind, 'unreachable')
  fake.fault = () => answer(409, 'ConditionalRequestConflict')
  t.is((await faults(t, transport))[2]!.kind, 'unreachable')
})

test('S3: a list that gives the same page for ever is refused', async t => {
  const { fake, transport } = await both.S3!(t)
  const body =
    '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>'
  fake.fault = () => ({ status: 200, body })
  await t.throwsAsync(transport.list(), { message: /does not give the next page/u })
})

test('WebDAV: a server that keeps a half, or lists what is elsewhere, is named', async t => {
  const { fake, transport } = await both.WebDAV!(t)
  await transport.put(names[1]!, randomBytes(10))
  fake.fault = ({ method }) => (method === 'HEAD' ? { status: 200, body: 'x' } : undefined)
  const fault = await t.throwsAsync(transport.put(names[0]!, randomBytes(10)), {
    message: /only a part of a file/u,
  })
  t.is((fault as TransportFault).kind, 'full')
  fake.fault = undefined
  t.is((await transport.list()).length, 1)
  const responses = ['/dav/notes/memory-sync/', '/etc/passwd'].map(
    href => `<d:response><d:href>${href}</d:href><d:propstat><d:prop/></d:propstat></d:response>`,
  )
  fake.fault = () => ({
    status: 207,
    body: `<d:multistatus xmlns:d="DAV:">${responses.join('')}</d:multistatus>`,
  })
  await t.throwsAsync(transport.list(), { message: /lists \/etc\/passwd/u })
})

test('WebDAV: what a kill left for a day is removed', async t => {
  const { fake, transport } = await both.WebDAV!(t)
  await transport.put(names[0]!, randomBytes(10))
  const draft = `/dav/notes/memory-sync/${names[1]}.01890000-0000-7000-8000-000000000000.tmp`
  fake.files.set(draft, Buffer.from('half'))
  await transport.list()
  t.false(fake.files.has(draft))
  t.is(fake.files.size, 1)
})

test('WebDAV: a folder that is not there is named, and never made', async t => {
  const fake = await startFakeWebdav(t, { folder: '/dav/other/' })
  const transport = webdavAt(t, fake.url)
  for (const one of [() => transport.list(), () => transport.put(names[0]!, Buffer.from('x'))])
    t.is(((await t.throwsAsync(one)) as TransportFault).kind, 'absent')
  t.false(fake.asked.includes('MKCOL /dav/notes/'))
})

test('WebDAV: a folder that another machine makes at the same moment is used', async t => {
  const { transport, fake } = await both.WebDAV!(t)
  const failed = new Set<string>()
  fake.fault = ({ method, path }) => {
    if (method !== 'MKCOL' || failed.size === failed.add(path).size) return undefined
    return { status: 500, headers: { 'content-type': 'text/html' }, body: '<html>File exists</html>' }
  }
  await transport.put(names[0]!, randomBytes(10))
  t.is((await transport.list()).length, 1)
  t.true(failed.size > 1)
})
