import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { s3Credentials } from '../../helpers/fake-s3.js'
import type { FakeStore } from '../../helpers/fake-store.js'
import { dumpOf, exchangeAll, manual } from '../../helpers/sync.js'
import { testPlaces } from '../../helpers/sync-places.js'

for (const kind of ['S3', 'WebDAV'] as const) {
  test(`${kind}: a list that is behind, and files that are older or cut, are named and change nothing`, async t => {
    const { server, machines } = await together(t, kind)
    const [one, two] = machines
    await one.remember('The kestrel nests on the crane.')
    await exchangeAll([one, two])
    const { body: before } = await one.call('GET /api/sync')
    const segment = nameOf(server, '.seg')
    server.hidden.add(segment)
    t.regex(
      await faultsOf(one),
      /has 1 segments of this machine that its list leaves out; the list is behind/u,
    )
    await exchangeAll([two])
    server.hidden.clear()
    const { body: after } = await one.call('GET /api/sync')
    t.is(after.device, before.device)
    t.is([...server.files.keys()].filter(name => name.endsWith('.seg')).length, 1)

    await one.remember('The osprey dives at noon.')
    await exchangeAll([one])
    const newer = [...server.files.keys()]
      .filter(name => name.endsWith('.seg'))
      .sort()
      .at(-1)!
    const whole = server.files.get(newer)!
    for (const wrong of [server.files.get(segment)!, whole.subarray(0, 100), Buffer.alloc(0)]) {
      server.files.set(newer, wrong)
      t.regex(await faultsOf(two), /is left alone: it is cut or was changed/u)
    }
    server.files.set(newer, whole)
    await exchangeAll([two])
    t.deepEqual(await dumpOf(two), await dumpOf(one))
  })

  test(`${kind}: a page, a redirect, a wrong password and a full place are named in the status`, async t => {
    const { server, machines } = await together(t, kind)
    const [one] = machines
    await one.remember('The kestrel nests on the crane.')
    const html = { 'content-type': 'text/html' }
    server.fault = () => ({ status: 200, headers: html, body: '<html>Log in</html>' })
    t.regex(await problemOf(one), /answered with a web page \(200\)/u)
    server.fault = () => ({ status: 302, headers: { location: 'https://elsewhere.example/x?token=1' } })
    t.regex(
      await problemOf(one),
      /redirects to https:\/\/elsewhere\.example\/x\. Redirects are not followed/u,
    )
    server.fault = ({ method }) => (method === 'PUT' ? { status: 507 } : undefined)
    t.regex(await problemOf(one), /no room for more/u)
    server.fault = undefined
    await giveCredentials(one, 'AKIDEXAMPLE:swordfish')
    server.fault = () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
    const problem = await problemOf(one)
    t.regex(problem, /credentials|password/u)
    t.notRegex(problem, /swordfish/u)
    t.regex(problem, /memory secrets set SYNC_CREDENTIALS/u)
  })
}

test('a place that is not there is named to the person who begins, joins or approves', async t => {
  const { server, address, credentials } = await testPlaces.S3(t)
  const daemon = await startDaemon(t)
  const { call } = daemon
  await giveCredentials(daemon, credentials!)
  const body = { address, credentials: 'SYNC_CREDENTIALS', name: 'one' }
  const refuse = (): void => {
    server!.fault = () => ({ status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' })
  }
  refuse()
  for (const ask of ['POST /api/sync/init', 'POST /api/sync/join'] as const)
    isAbsent(t, await call(ask, { body }))
  server!.fault = undefined
  t.is((await call('POST /api/sync/init', { body })).status, 200)
  refuse()
  isAbsent(t, await call('POST /api/sync/approve', { body: { code: '00000-00000' } }))
})

function isAbsent(t: ExecutionContext, { status, body }: { status: number; body: object }): void {
  t.is(status, 502)
  t.like(body, { code: 'provider_failed' })
  t.regex((body as { error: string }).error, /no bucket of this name/u)
}

test('S3: a clock that is wrong is named in the status', async t => {
  const { server, machines } = await together(t, 'S3')
  server.fault = () => ({
    status: 403,
    headers: { date: new Date(Date.now() + 90 * 60_000).toUTCString() },
    body: '<Error><Code>RequestTimeTooSkewed</Code></Error>',
  })
  t.regex(await problemOf(machines[0]), /the clock of this machine is 90 minutes off/u)
})

test('WebDAV: a pause and a leave wait for no server that is silent', async t => {
  const { server, machines } = await together(t, 'WebDAV')
  const [one] = machines
  for (const [path, body] of [
    ['POST /api/sync/pause', { paused: true }],
    ['POST /api/sync/leave', {}],
  ] as const) {
    await one.call('POST /api/sync/pause', { body: { paused: false } })
    const asked = new Promise<void>(resolve => {
      server.fault = () => {
        resolve()
        return 'silent'
      }
    })
    const running = one.call('POST /api/sync/run', { body: {} })
    await asked
    t.is((await one.call(path, { body })).status, 200, path)
    const { body: ran } = await running
    if (path.endsWith('pause')) t.is(ran.run?.problem, 'the exchange was interrupted')
  }
})

test('a request to join that the place did not delete is deleted later, and waits for nobody (sync.md)', async t => {
  const { server, address, credentials } = await testPlaces.WebDAV(t)
  const machines: [TestDaemon, TestDaemon] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  const [one, two] = machines
  const isRequest = (name: string): boolean => name.endsWith('.req')
  server!.fault = ({ method, path }) => (method === 'DELETE' && isRequest(path) ? { status: 403 } : undefined)
  await beginTogether(machines, { address, credentials: credentials! })
  t.not(await problemOf(two), 'none')
  await one.call('POST /api/sync/run', { body: {} })
  t.is((await one.call('GET /api/sync')).body.waiting.requests, 0)
  server!.fault = undefined
  await exchangeAll(machines)
  t.false([...server!.files.keys()].some(isRequest))
})

test('while an exchange runs, the status still shows who asks to join (sync.md)', async t => {
  const { server, machines } = await together(t, 'S3')
  const [{ call }] = machines
  const third = await startDaemon(t, manual)
  await giveCredentials(third, s3Credentials)
  const address = (await call('GET /api/sync')).body.address!
  const place = { address, credentials: 'SYNC_CREDENTIALS' }
  await third.call('POST /api/sync/join', { body: { ...place, name: 'three' } })
  const { body } = await call('POST /api/sync/run', { body: {} })
  t.is(body.waiting.requests, 1)
  server.fault = () => 'silent'
  const running = call('POST /api/sync/run', { body: {} })
  const status = async () => (await call('GET /api/sync')).body
  await until(async () => (await status()).run?.running)
  t.is((await status()).waiting.requests, 1)
  server.fault = undefined
  await call('POST /api/sync/pause', { body: { paused: true } })
  await running
})

async function together(
  t: ExecutionContext,
  kind: 'S3' | 'WebDAV',
): Promise<{ server: FakeStore; machines: [TestDaemon, TestDaemon] }> {
  const { server, address, credentials } = await testPlaces[kind](t)
  const machines: [TestDaemon, TestDaemon] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await beginTogether(machines, { address, credentials: credentials! })
  await exchangeAll(machines)
  return { server: server!, machines }
}

/** Begins a sync on the first machine, and lets the second one in. */
async function beginTogether(
  machines: readonly [TestDaemon, TestDaemon],
  { address, credentials }: { address: string; credentials: string },
): Promise<void> {
  const [one, two] = machines
  for (const machine of machines) await giveCredentials(machine, credentials)
  const place = { address, credentials: 'SYNC_CREDENTIALS' }
  await one.call('POST /api/sync/init', { body: { ...place, name: 'one' } })
  const { body } = await two.call('POST /api/sync/join', { body: { ...place, name: 'two' } })
  await one.call('POST /api/sync/approve', { body: { code: body.code } })
}

async function giveCredentials({ call }: TestDaemon, value: string): Promise<void> {
  await call('POST /api/secrets/:name', { params: { name: 'SYNC_CREDENTIALS' }, body: { value } })
}

function nameOf(server: FakeStore, ending: string): string {
  return [...server.files.keys()].find(name => name.endsWith(ending))!
}

async function faultsOf({ call }: TestDaemon): Promise<string> {
  return (await call('POST /api/sync/run', { body: {} })).body.run!.faults.join('\n')
}

async function problemOf({ call }: TestDaemon): Promise<string> {
  const { body } = await call('POST /api/sync/run', { body: {} })
  return body.run!.problem ?? 'none'
}
