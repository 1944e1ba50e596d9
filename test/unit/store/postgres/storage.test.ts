import test from 'ava'
import type { StorageCheck } from '../../../../src/contract/operations/storage.js'
import { startDaemon } from '../../../helpers/daemon.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

const faultsIn = (checks: readonly StorageCheck[]): string[] =>
  checks.filter(({ severity }) => severity === 'error').map(({ id }) => id)

test('the status of a store on a server names server, schema and size, and never a password', async t => {
  const url = new URL(await ownDatabase(t))
  url.password = 'planted-password'
  const { call, remember } = await startDaemon(t, { settings: { storage: { postgres: url.href } } })
  await remember('the deploy runs on Tuesdays')
  const { body } = await call('GET /api/storage')
  t.is(body.kind, 'server')
  t.regex(body.place, /^schema memory of test_\w+ on 127\.0\.0\.1:\d+$/)
  t.like(body.server, { schema: 'memory', role: 'memory', encoding: 'UTF8', collation: 'C' })
  t.true((body.server?.latencyMs ?? 0) > 0)
  t.true((body.bytes ?? 0) > 100_000)
  t.is(body.server?.pool?.most, 4)
  t.deepEqual(faultsIn(body.checks), [])
  t.deepEqual(
    body.checks.map(({ id }) => id),
    ['version', 'collation', 'rights', 'latency', 'connections', 'encryption'],
  )
  t.false(JSON.stringify(body).includes('planted-password'))
  const { findings } = (await call('GET /api/diagnostics')).body.storage
  t.deepEqual(
    findings.filter(({ id, severity }) => id.startsWith('server-') && severity !== 'info'),
    [],
  )
})

test('a check before a move names what has to be changed', async t => {
  const { call } = await startDaemon(t, { settings: { storage: { postgres: await ownDatabase(t) } } })
  const checked = async (to: string, schema?: string) =>
    (await call('POST /api/storage/check', { body: { to, ...(schema && { schema }) } })).body
  const empty = await ownDatabase(t, { empty: true })
  const sound = await checked(empty, 'team_a')
  t.deepEqual([sound.usable, faultsIn(sound.checks)], [true, []])

  const name = new URL(empty).pathname.slice(1)
  const role = `plain_${name.slice(-8)}`
  await askServer(empty, `CREATE ROLE ${role} LOGIN`)
  const theirs = new URL(empty)
  theirs.username = role
  const refused = await checked(theirs.href, 'team_a')
  t.deepEqual([refused.usable, faultsIn(refused.checks)], [false, ['rights']])
  t.is(refused.checks.find(({ id }) => id === 'rights')?.fix, `GRANT CREATE ON DATABASE ${name} TO ${role}`)
  const escaped = await checked(theirs.href.replace('/test_', '/%74est_'), 'team_a')
  t.deepEqual(
    escaped.checks.find(({ id }) => id === 'rights'),
    refused.checks[2],
  )
  await askServer(empty, `DROP ROLE ${role}`)

  const sorted = `${name}_icu`
  await askServer(
    empty,
    `CREATE DATABASE ${sorted} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  t.teardown(() => askServer(empty, `DROP DATABASE ${sorted} WITH (FORCE)`))
  const other = new URL(empty)
  other.pathname = `/${sorted}`
  const { checks } = await checked(other.href)
  t.deepEqual(faultsIn(checks), ['collation'])
  t.regex(checks.find(({ id }) => id === 'collation')?.fix ?? '', /LC_COLLATE 'C'/)

  const gone = await checked('postgres://memory:planted-password@127.0.0.1:1/none')
  t.deepEqual(faultsIn(gone.checks), ['connection'])
  t.false(JSON.stringify(gone).includes('planted-password'))
  const missing = await call('POST /api/storage/check', { body: { to: 'NO_SUCH_SECRET' } })
  t.is(missing.status, 404)
})

test('the status of a server that is gone says so, instead of failing', async t => {
  const proxy = await startProxy(t, await ownDatabase(t))
  const { call } = await startDaemon(t, { settings: { storage: { postgres: proxy.url } } })
  proxy.cut()
  const { status, body } = await call('GET /api/storage')
  t.is(status, 200)
  t.is(body.server, null)
  t.regex(body.checks[0]?.evidence ?? '', /does not answer/)
})
