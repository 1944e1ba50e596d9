import { mkdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const off = { memory: { pipelineV2: { telemetryEnabled: false } } }

test('a recall is told by events without a word of it (telemetry.md 3)', async t => {
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

test('events are chosen by name and time, at most as many as are asked for (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.recall('one')
  await daemon.recall('two')
  t.is((await read(daemon, { event: 'recall.performed' })).events.length, 2)
  t.is((await read(daemon, { since: '2100-01-01T00:00:00Z' })).events.length, 0)
  t.is((await read(daemon, { until: '2000-01-01T00:00:00Z' })).events.length, 0)
  t.deepEqual(
    (await read(daemon, { limit: 0 })).events.map(({ event }) => event),
    ['recall.outcome'],
  )
  t.is((await read(daemon, { limit: 999_999 })).events.length, 6)
})

test('health tells counts and ages, and that nothing leaves the machine (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  t.is((await daemon.call('GET /api/telemetry/health')).body.lastDaemonEventAgeSec, null)
  await daemon.recall('one')
  t.is((await daemon.call('GET /api/telemetry/health')).body.bufferedEventCount, 3)
  await read(daemon)
  const { body } = await daemon.call('GET /api/telemetry/health')
  t.like(body, { enabled: true, status: 'local-only', deliveryConfigured: false, bufferedEventCount: 0 })
  t.true((body.lastDaemonEventAgeSec ?? -1) >= 0)
})

test('nothing is recorded where settings or environment opt out, and an export is 404 (telemetry.md 3)', async t => {
  for (const options of [{ settings: off }, { environment: { SERVICE_TELEMETRY_OPTOUT: '1' } }]) {
    const daemon = await startDaemon(t, options)
    await daemon.recall('one')
    t.deepEqual(await read(daemon), { events: [], enabled: false })
    t.false((await daemon.call('GET /api/telemetry/health')).body.enabled)
    t.is((await fetch(`${daemon.url}/api/telemetry/export`)).status, 404)
  }
})

test('a file of events that takes nothing stops no request (telemetry.md 3)', async t => {
  const daemon = await startDaemon(t)
  mkdirSync(daemon.paths.telemetryEvents, { recursive: true })
  await daemon.remember('the port is 8080')
  t.is((await daemon.recall('port')).length, 1)
  t.is((await read(daemon)).events.length, 3)
})

async function read(
  daemon: TestDaemon,
  query: { event?: string; since?: string; until?: string; limit?: number } = {},
) {
  return (await daemon.call('GET /api/telemetry/events', { query })).body
}
