import test from 'ava'
import type { DiagnosticsFinding } from '../../../src/contract/operations/diagnostics-domains.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { startCollector } from '../../helpers/event-collector.js'

const intervalMs = 100

test('events are sent to the configured address, and health and doctor report the delivery (telemetry.md 8)', async t => {
  const collector = await startCollector(t)
  const delivery = { url: `${collector.url}/events?key=marked-key`, intervalMs }
  const daemon = await startDaemon(t, { settings: { telemetry: { delivery } } })
  await daemon.remember('marked content')
  await daemon.recall('marked query')
  const sent = () => collector.batches().flatMap(({ events }) => events.map(({ event }) => event))
  // A batch may be sent while a recall still records its events.
  await until(() => sent().includes('recall.outcome'))
  t.deepEqual(sent(), ['recall.attempted', 'recall.performed', 'recall.outcome'])
  t.notRegex(JSON.stringify(collector.requests.map(({ body, headers }) => [body, headers])), /marked/u)
  await until(async () => (await health(daemon)).queuedUnsentEventCount === 0)
  t.like(await health(daemon), { status: 'healthy', deliveryConfigured: true, consecutiveFailures: 0 })
  collector.behave('redirects')
  await daemon.recall('again')
  await until(async () => (await health(daemon)).consecutiveFailures > 0)
  t.like(await health(daemon), { status: 'degraded', queuedUnsentEventCount: 3 })
  const { body } = await daemon.call('GET /api/diagnostics/:domain', { params: { domain: 'storage' } })
  const findings = body.findings as DiagnosticsFinding[]
  const found = findings.find(({ id }) => id === 'telemetry-delivery')
  t.regex(found?.evidence ?? '', /accepts no events: \d+ attempts failed in a row/u)
  t.notRegex(JSON.stringify(body), /marked/u)
})

test('an unresponsive address delays neither requests nor shutdown (telemetry.md 8)', async t => {
  const collector = await startCollector(t)
  collector.behave('hangs')
  const delivery = { url: collector.url, intervalMs }
  const daemon = await startDaemon(t, { settings: { telemetry: { delivery } } })
  await daemon.recall('one')
  await until(() => collector.requests.length > 0)
  t.is((await daemon.call('GET /api/status')).status, 200)
  t.like(await health(daemon), { deliveryConfigured: true, queuedUnsentEventCount: 3 })
  await daemon.stop()
  t.pass('it ended')
})

test('an address with a password or an unsupported scheme is refused (telemetry.md 8)', async t => {
  for (const url of ['http://ada:secret@127.0.0.1/', 'ftp://127.0.0.1/', 'nowhere'])
    await t.throwsAsync(startDaemon(t, { settings: { telemetry: { delivery: { url } } } }), {
      message: /telemetry\.delivery\.url/u,
    })
})

async function health(daemon: TestDaemon) {
  return (await daemon.call('GET /api/telemetry/health')).body
}
