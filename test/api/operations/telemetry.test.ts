import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openRaw, openTestStore } from '../../helpers/store.js'

const off = { memory: { pipelineV2: { telemetryEnabled: false } } }

test('a recall records events without any text (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('marked content of a memory')
  await daemon.recall('marked query')
  const { events, enabled } = await read(daemon)
  t.true(enabled)
  t.deepEqual(
    events.map(({ event }) => event),
    ['recall.attempted', 'recall.performed', 'recall.outcome'],
  )
  t.like(events[1]?.properties, { surface: 'explicit_api', type: 'keyword', results: 1, truncated: false })
  t.deepEqual(events[2]?.properties, { surface: 'explicit_api', result: 'non_empty', delivery: 'returned' })
  t.notRegex(JSON.stringify(events), /marked/u)
  const lines = readFileSync(daemon.paths.telemetryEvents, 'utf8').trim().split('\n')
  t.deepEqual(
    lines.map(line => JSON.parse(line)),
    events,
  )
  const exported = await fetch(`${daemon.url}/api/telemetry/export`)
  t.is(exported.headers.get('content-type'), 'application/x-ndjson')
  t.is((await exported.text()).trim(), lines.join('\n'))
})

test('events can be filtered by name and time, up to the requested limit (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.recall('one')
  await daemon.recall('two')
  t.is((await read(daemon, { event: 'recall.performed' })).events.length, 2)
  t.is((await read(daemon, { since: '2100-01-01T00:00:00Z' })).events.length, 0)
  t.is((await read(daemon, { until: '2000-01-01T00:00:00Z' })).events.length, 0)
  for (const limit of [0, -5])
    t.deepEqual(
      (await read(daemon, { limit })).events.map(({ event }) => event),
      ['recall.outcome'],
    )
  t.is((await read(daemon, { limit: 999_999 })).events.length, 6)
})

test('health shows counts and ages, and that nothing leaves the machine (telemetry.md 3)', async t => {
  let now = new Date('2026-03-01T12:00:00Z')
  const daemon = await startDaemon(t, { clock: () => now })
  t.is((await daemon.call('GET /api/telemetry/health')).body.lastDaemonEventAgeSec, null)
  await daemon.recall('one')
  t.is((await daemon.call('GET /api/telemetry/health')).body.bufferedEventCount, 3)
  await read(daemon)
  const { body } = await daemon.call('GET /api/telemetry/health')
  t.like(body, { enabled: true, status: 'local-only', deliveryConfigured: false, bufferedEventCount: 0 })
  t.is(body.lastDaemonEventAgeSec, 0)
  for (const [at, age] of [
    ['2026-03-01T12:01:00Z', 60],
    ['2026-03-01T09:00:00Z', 0],
  ] as const) {
    now = new Date(at)
    t.is((await daemon.call('GET /api/telemetry/health')).body.lastDaemonEventAgeSec, age)
  }
})

test('with telemetry disabled in settings or environment nothing is recorded, and an export is 404 (telemetry.md 3)', async t => {
  for (const options of [{ settings: off }, { environment: { SERVICE_TELEMETRY_OPTOUT: '1' } }]) {
    const daemon = await startDaemon(t, options)
    await daemon.recall('one')
    t.deepEqual(await read(daemon), { events: [], enabled: false })
    t.false((await daemon.call('GET /api/telemetry/health')).body.enabled)
    t.is((await fetch(`${daemon.url}/api/telemetry/export`)).status, 404)
  }
})

test('a telemetry folder that is missing or not writable does not stop a request (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  const { telemetryEvents } = daemon.paths
  mkdirSync(telemetryEvents, { recursive: true })
  await daemon.remember('the port is 8080')
  t.is((await daemon.recall('port')).length, 1)
  t.is((await read(daemon)).events.length, 3)
  rmSync(dirname(telemetryEvents), { recursive: true })
  writeFileSync(dirname(telemetryEvents), 'no folder')
  t.is((await daemon.recall('port')).length, 1)
  t.is((await read(daemon)).events.length, 6)
  t.is((await daemon.call('GET /api/telemetry/stats')).body.totalEvents, 6)
  rmSync(dirname(telemetryEvents))
  await daemon.recall('port')
  await read(daemon)
  t.is(readFileSync(telemetryEvents, 'utf8').trim().split('\n').length, 3)
  t.is((await daemon.call('GET /api/telemetry/health')).body.droppedEventCount, 0)
})

test('searches and used results are recorded only in general terms (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the port is 8080')
  const body = { query: 'port', sessionKey: 's1' }
  for (const headers of [
    { 'x-service-surface': 'dashboard' },
    { 'x-service-actor-type': 'harness' },
    { 'x-service-actor-type': 'pipeline' },
    { 'x-service-surface': 'elsewhere' },
  ])
    await daemon.call('POST /api/memory/recall', { body, headers })
  for (const rating of [-1, 0.5])
    await daemon.call('POST /api/memory/feedback', {
      body: { session_key: 's1', ratings: { [id]: rating } },
    })
  const of = async (event: string) =>
    (await read(daemon, { event })).events.map(({ properties }) => properties)
  t.deepEqual(
    (await of('recall.attempted')).map(({ surface }) => surface),
    ['dashboard', 'tool_call', 'other', 'explicit_api'],
  )
  const consumed = (await of('recall.outcome')).filter(({ delivery }) => delivery === 'consumed')
  t.deepEqual(consumed, [{ surface: 'explicit_api', result: 'non_empty', delivery: 'consumed' }])
})

test('statistics count each event once, from the requested hour on (telemetry.md 4)', async t => {
  let now = new Date('2026-03-01T12:10:00Z')
  const daemon = await startDaemon(t, { clock: () => now })
  const stats = async (query = {}) => (await daemon.call('GET /api/telemetry/stats', { query })).body
  t.like(await stats(), { enabled: true, totalEvents: 0 })
  await daemon.recall('one')
  now = new Date('2026-03-02T14:30:00Z')
  await daemon.recall('two')
  t.like((await stats()).recall, { calls: 2 })
  t.like(await stats(), { totalEvents: 6, countedFrom: '2025-12-02T00:00:00.000Z' })
  const recent = await stats({ since: '2026-03-02T14:59:00Z' })
  t.like(recent, { totalEvents: 3, countedFrom: '2026-03-02T14:00:00.000Z' })
  t.like(recent.pipelineOperations, { total: 1, incidents: 0 })
  t.is((await stats({ since: '2026-03-03T00:00:00Z' })).totalEvents, 0)
  t.is((await stats({ since: '2026-02-01T00:00:00Z' })).countedFrom, '2026-02-01T00:00:00.000Z')
  // After a clock change, each event is counted once, at its recorded time.
  now = new Date('2026-03-01T09:00:00Z')
  await daemon.recall('three')
  t.is((await stats()).totalEvents, 9)
  now = new Date('2026-03-02T14:40:00Z')
  t.like(await stats({ since: '2026-03-02T14:00:00Z' }), { totalEvents: 3 })
  t.deepEqual(
    (await read(daemon, { event: 'recall.performed' })).events.map(({ timestamp }) => timestamp),
    ['2026-03-01T09:00:00.000Z', '2026-03-01T12:10:00.000Z', '2026-03-02T14:30:00.000Z'],
  )
  // After a reset, as in an upgrade, earlier events are counted again.
  const raw = openRaw(t, daemon.paths.database)
  raw.exec("DELETE FROM telemetry_counts; DELETE FROM meta WHERE key = 'telemetry_counted'")
  await Promise.all([stats(), stats(), stats()])
  t.is((await stats()).totalEvents, 9)
})

test('the oldest events are removed when the limit is reached (telemetry.md 3)', async t => {
  const { store } = openTestStore(t)
  const { telemetry } = store.tables
  for (let at = 1; at <= 12; at++)
    await telemetry.add({ event: 'recall.attempted', at: `2026-03-01T00:00:${10 + at}Z`, properties: '{}' })
  t.is(await telemetry.keepNewest(10, 1), 1)
  t.is(await telemetry.keepNewest(10, 500), 1)
  t.is(await telemetry.keepNewest(10, 500), 0)
  t.deepEqual(
    (await telemetry.after(0, 100)).map(({ id }) => id),
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  )
})

async function read(
  daemon: TestDaemon,
  query: { event?: string; since?: string; until?: string; limit?: number } = {},
) {
  return (await daemon.call('GET /api/telemetry/events', { query })).body
}
