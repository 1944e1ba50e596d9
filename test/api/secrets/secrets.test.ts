import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { maxValueBytes } from '../../../src/contract/secrets/names.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { filesBelow, filesWith } from '../../helpers/files-below.js'
import { manualTime } from '../../helpers/manual-time.js'
import { startTeam } from '../../helpers/team.js'

const value = 'canary-4242-value'

async function store(daemon: TestDaemon, name: string, text = value) {
  return daemon.call('POST /api/secrets/:name', { params: { name }, body: { value: text } })
}

async function names({ call }: TestDaemon) {
  return (await call('GET /api/secrets')).body.secrets
}

test('secrets are stored, listed in name order and deleted', async t => {
  const daemon = await startDaemon(t)
  t.deepEqual(await names(daemon), [])
  const stored = await store(daemon, 'TWO')
  t.is(stored.status, 200)
  t.deepEqual(stored.body, { success: true, name: 'TWO' })
  await store(daemon, 'ONE')
  t.deepEqual(await names(daemon), ['ONE', 'TWO'])
  const deleted = await daemon.call('DELETE /api/secrets/:name', { params: { name: 'TWO' } })
  t.deepEqual(deleted.body, { success: true, name: 'TWO' })
  t.deepEqual(await names(daemon), ['ONE'])
})

test('deleting an unknown secret is 404', async t => {
  const daemon = await startDaemon(t)
  const { status, body } = await daemon.call('DELETE /api/secrets/:name', { params: { name: 'NONE' } })
  t.is(status, 404)
  t.regex(String(body.error), /NONE.*memory secrets list/u)
})

test('a stored value survives a restart', async t => {
  const first = await startDaemon(t)
  await store(first, 'KEY', 'two\nlines é')
  await first.stop()
  const { daemon } = await startDaemon(t, { workspace: first.paths.root })
  t.is(await daemon.secrets.resolve('local://KEY'), 'two\nlines é')
})

for (const name of ['exec', 'store', 'vaulta', 'vaultb'])
  test(`${name} is an API path and not a valid secret name`, async t => {
    const daemon = await startDaemon(t)
    for (const { status, body } of [
      await store(daemon, name),
      await daemon.call('DELETE /api/secrets/:name', { params: { name } }),
    ]) {
      t.is(status, 400)
      t.is(body.code, 'validation_failed')
    }
    t.deepEqual(await names(daemon), [])
  })

const badNames = [
  '__proto__',
  'constructor',
  '../up',
  'a/b',
  '..\\up',
  '1KEY',
  'A-B',
  'Ä',
  'A B',
  'A'.repeat(129),
  '.',
]
for (const name of badNames)
  test(`${JSON.stringify(name.slice(0, 20))} is refused as a name and not repeated`, async t => {
    const daemon = await startDaemon(t)
    const { status, body } = await store(daemon, name)
    t.true(status === 400 || status === 404, String(status))
    if (status === 400 && name.length > 2) t.false(JSON.stringify(body).includes(name))
    t.deepEqual(await names(daemon), [])
    t.false(readdirSync(daemon.paths.root).includes('up'))
  })

test('an empty, missing, non-text or oversized value is 400 and not repeated', async t => {
  const daemon = await startDaemon(t)
  const bodies = [{ value: '' }, {}, { value: 42_424_242 }, { value: `${value}${'x'.repeat(maxValueBytes)}` }]
  for (const body of bodies) {
    const reply = await daemon.call('POST /api/secrets/:name', {
      params: { name: 'KEY' },
      body: body as never,
    })
    t.is(reply.status, 400)
    t.notRegex(JSON.stringify(reply.body), /canary|42424242|42_424/u)
  }
  t.is((await store(daemon, 'KEY', 'x'.repeat(maxValueBytes))).status, 200)
})

test('a body larger than any value is 413', async t => {
  const daemon = await startDaemon(t)
  t.is((await store(daemon, 'KEY', 'x'.repeat(8 * maxValueBytes))).status, 413)
})

test('a value appears in no reply, log, file or error, even on failures', async t => {
  const lines: string[] = []
  const daemon = await startDaemon(t, {
    log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
  })
  const { url, paths } = daemon
  const replies: string[] = []
  const send = async (path: string, body: string, method = 'POST') => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url + path, { method, headers, ...(method !== 'GET' && { body }) })
    replies.push(await reply.text())
  }
  await send('/api/secrets/KEY', JSON.stringify({ value }))
  await send('/api/secrets/KEY', `{"value": ${value}}`)
  await send('/api/secrets/KEY', JSON.stringify({ value: { [value]: value } }))
  await send('/api/secrets/KEY', JSON.stringify({ value: `${value}\0` }))
  await send('/api/secrets/KEY', JSON.stringify([value]))
  await send('/api/secrets/exec', JSON.stringify({ value }))
  await send('/api/secrets/KEY/nothing', JSON.stringify({ value }))
  for (const body of [
    { entries: [{ name: value, value }] },
    {
      entries: [
        { name: 'A', value: '' },
        { name: 'B', value },
      ],
    },
    { entries: { KEY: value } },
    { passphrase: value, file: { entries: { [value]: value } } },
  ])
    await send('/api/secrets/store/import', JSON.stringify(body))
  for (const action of ['protect', 'unlock', 'export', 'rotate'])
    await send(
      `/api/secrets/store/${action}`,
      JSON.stringify({ source: value, passphrase: { [value]: value }, keys: value }),
    )
  await send('/api/secrets/store/export', JSON.stringify({ passphrase: value }))
  writeFileSync(join(paths.secretsDir, 'secrets.json'), `{"value":"${'x'}"}`)
  await send('/api/secrets/KEY', JSON.stringify({ value }))
  await send('/api/secrets', '', 'GET')
  await daemon.stop()
  t.notRegex(replies.join('\n'), /canary/u)
  t.notRegex(lines.join('\n'), /canary/u)
  t.true(filesBelow(paths.root).length > 3)
  t.deepEqual(filesWith(paths.root, 'canary'), [])
})

test('secret operations are logged only by name', async t => {
  const lines: string[] = []
  const daemon = await startDaemon(t, {
    log: pino({ level: 'info' }, { write: line => void lines.push(line) }),
  })
  await store(daemon, 'KEY')
  await daemon.call('GET /api/secrets')
  await daemon.call('DELETE /api/secrets/:name', { params: { name: 'KEY' } })
  const told = lines.map(line => JSON.parse(line)).filter(({ audit }) => String(audit).startsWith('secret'))
  t.deepEqual(
    told.map(({ audit, name }) => [audit, name]),
    [
      ['secret.stored', 'KEY'],
      ['secret.listed', undefined],
      ['secret.deleted', 'KEY'],
    ],
  )
})

test('a damaged store is an error on every route, and nothing is written', async t => {
  const daemon = await startDaemon(t)
  await store(daemon, 'KEY')
  const file = join(daemon.paths.secretsDir, 'secrets.json')
  writeFileSync(file, 'no store')
  const { call } = daemon
  const passphrase = 'a long passphrase'
  const replies = [
    await call('GET /api/secrets'),
    await store(daemon, 'KEY'),
    await call('DELETE /api/secrets/:name', { params: { name: 'KEY' } }),
    await call('POST /api/secrets/store/protect', { body: { source: 'keyfile' } }),
    await call('POST /api/secrets/store/rotate'),
    await call('POST /api/secrets/store/unlock', { body: { passphrase } }),
    await call('POST /api/secrets/store/export', { body: { passphrase } }),
    await call('POST /api/secrets/store/import', { body: { entries: [{ name: 'A', value }] } }),
  ]
  for (const { status, body } of replies) {
    t.is(status, 503)
    t.is((body as { code?: string }).code, 'secret_store_damaged')
  }
  t.is(readFileSync(file, 'utf8'), 'no store')
  const { body } = await call('GET /api/secrets/store/status')
  t.is(body.state, 'damaged')
})

test('a damaged store does not stop a start: memories are served', async t => {
  const first = await startDaemon(t)
  await first.stop()
  mkdirSync(first.paths.secretsDir, { recursive: true })
  writeFileSync(join(first.paths.secretsDir, 'secrets.json'), 'no store')
  const daemon = await startDaemon(t, { workspace: first.paths.root })
  t.truthy(await daemon.remember('still here'))
})

test('secrets can be changed while writes are frozen, so that a leaked key can be replaced', async t => {
  const daemon = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  t.is((await store(daemon, 'KEY')).status, 200)
  t.is((await daemon.call('DELETE /api/secrets/:name', { params: { name: 'KEY' } })).status, 200)
})

test('agents list names but change nothing; readers cannot list', async t => {
  const team = await startTeam(t)
  const as = (role: 'admin' | 'agent' | 'readonly') => ({ headers: team.token({ role }) })
  const params = { name: 'KEY' }
  const put = (role: 'admin' | 'agent') =>
    team.call('POST /api/secrets/:name', { params, body: { value }, ...as(role) })
  t.is((await put('admin')).status, 200)
  t.is((await put('agent')).status, 403)
  t.is((await team.call('DELETE /api/secrets/:name', { params, ...as('agent') })).status, 403)
  t.deepEqual((await team.call('GET /api/secrets', as('agent'))).body.secrets, ['KEY'])
  t.is((await team.call('GET /api/secrets', as('readonly'))).status, 403)
  const body = { passphrase: 'a long passphrase' }
  t.is((await team.call('POST /api/secrets/store/export', { body, ...as('agent') })).status, 403)
})

test('admins see when each secret was set and last used, also after a restart', async t => {
  const { clock, advance } = manualTime(Date.parse('2030-01-01T00:00:00.000Z'))
  const team = await startTeam(t, { clock })
  const as = (role: 'admin' | 'agent') => ({ headers: team.token({ role }) })
  const details = async ({ call }: Pick<TestDaemon, 'call'>) =>
    (await call('GET /api/secrets', { query: { details: true }, ...as('admin') })).body.details
  const params = { name: 'KEY' }
  const put = { params, body: { value }, ...as('admin') }
  await team.call('POST /api/secrets/:name', put)
  const times = { createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' }
  const known = { name: 'KEY', provider: 'local' as const, ...times, lastUsedAt: null }
  t.deepEqual(await details(team), [known])
  t.is((await team.call('GET /api/secrets', { query: { details: true }, ...as('agent') })).status, 403)
  advance(90_000)
  t.true(await team.daemon.secrets.isSet('KEY'))
  t.deepEqual(await details(team), [known])
  await team.daemon.secrets.resolve('KEY')
  advance(30_000)
  await team.daemon.secrets.resolve('local://KEY')
  const used = [{ ...known, lastUsedAt: '2030-01-01T00:01:30.000Z' }]
  t.deepEqual(await details(team), used)
  await until(() => existsSync(team.paths.secretUses) || undefined)
  t.false(readFileSync(team.paths.secretUses, 'utf8').includes('canary'))
  await team.stop()
  const again = await startTeam(t, { clock, workspace: team.paths.root })
  t.deepEqual(await details(again), used)
  await again.call('DELETE /api/secrets/:name', { params, ...as('admin') })
  await again.call('POST /api/secrets/:name', put)
  t.like(await details(again), [{ name: 'KEY', lastUsedAt: null }])
})

test('a file left half-written by a killed daemon is removed at start', async t => {
  const first = await startDaemon(t)
  await store(first, 'KEY')
  await first.stop()
  writeFileSync(join(first.paths.secretsDir, 'machine.key.0.tmp'), 'half')
  await startDaemon(t, { workspace: first.paths.root })
  t.deepEqual(readdirSync(first.paths.secretsDir).sort(), ['machine.key', 'secrets.json'])
})

test('a disabled plugin, or one without the grant, refuses its routes and keeps stored secrets', async t => {
  const daemon = await startDaemon(t)
  const { plugins } = daemon.daemon
  const change = (to: Parameters<typeof plugins.change>[1]) =>
    plugins.change(plugins.find('service.secrets')!, to, { source: 'api' })
  await store(daemon, 'KEY')
  await change({ enabled: false })
  for (const { status, body } of [await daemon.call('GET /api/secrets'), await store(daemon, 'KEY')]) {
    t.is(status, 403)
    t.is((body as { code?: string }).code, 'plugin_capability_denied')
  }
  await change({ enabled: true, revoke: ['secrets:write'] })
  t.is((await store(daemon, 'OTHER')).status, 403)
  t.deepEqual(await names(daemon), ['KEY'])
})

test('secret operations are in the plugin’s audit log, without values', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await store(daemon, 'KEY')
  await call('GET /api/secrets')
  await call('POST /api/secrets/store/rotate')
  await call('POST /api/secrets/store/import', { body: { entries: [{ name: 'TWO', value }] } })
  await call('DELETE /api/secrets/:name', { params: { name: 'KEY' } })
  const events = await daemon.daemon.plugins.readAudit({ pluginId: 'service.secrets', limit: 100 })
  const told = events.filter(({ event }) => event.startsWith('secret')).toReversed()
  t.deepEqual(
    told.map(({ event, result }) => [event, result]),
    ['secret.stored', 'secret.listed', 'secrets.rotated', 'secrets.imported', 'secret.deleted'].map(event => [
      event,
      'ok',
    ]),
  )
  t.is(told[0]?.data.name, 'KEY')
  t.deepEqual(told[3]?.data.names, ['TWO'])
  t.notRegex(JSON.stringify(events), /canary/u)
})
