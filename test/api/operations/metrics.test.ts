import { readFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { parseExposition } from '../../helpers/exposition.js'

test('the metrics parse, count by route and contain no stored data (metrics.md)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('marked words of the harbour')
  await daemon.recall('marked harbour')
  await fetch(`${daemon.url}/api/memory/${id}`)
  const response = await fetch(`${daemon.url}/metrics`)
  t.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  t.notRegex(text, new RegExp(`marked|harbour|${id}|${daemon.paths.root}`, 'u'))
  const { read } = parseExposition(text)
  t.is(read('memory_service_memories'), 1)
  t.is(read('memory_service_memory_operations_total', { operation: 'remembered' }), 1)
  const saved = { method: 'POST', route: '/api/memory/remember', status: '2xx' }
  t.is(read('memory_service_requests_total', saved), 1)
  t.is(read('memory_service_index_entries', { index: 'memories' }), 1)
  t.is(read('memory_service_inference_breaker', { state: 'closed' }), 1)
  t.is(read('memory_service_embedding_state', { state: 'off' }), 1)
})

test('latencies are histograms with consistent buckets (metrics.md)', async t => {
  const daemon = await startDaemon(t)
  for (const query of ['one', 'two', 'three']) await daemon.recall(query)
  const { samples, read } = await scrape(daemon)
  const name = 'memory_service_request_duration_seconds'
  const buckets = samples.filter(
    sample => sample.name === `${name}_bucket` && sample.labels.group === 'recall',
  )
  const counts = buckets.map(({ value }) => value)
  t.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  )
  t.is(buckets.at(-1)?.labels.le, '+Inf')
  t.is(counts.at(-1), 3)
  t.is(read(`${name}_count`, { group: 'recall' }), 3)
  t.true((read(`${name}_sum`, { group: 'recall' }) ?? 0) > 0)
})

test('the dashboard uses exactly the metrics that exist (metrics.md)', async t => {
  const { types } = await scrape(await startDaemon(t))
  const dashboard = readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8')
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:memory_service|process|nodejs)_\w+/gu) ?? []),
  )
  const named = new Set(
    asked.map(name => (types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/u, ''))),
  )
  t.deepEqual(
    [...named].filter(name => !types.has(name)),
    [],
  )
  t.deepEqual(
    [...types.keys()].filter(name => !named.has(name)),
    ['memory_service_info'],
  )
})

test('an unreadable metric group is reported and hides no other (metrics.md)', async t => {
  const daemon = await startDaemon(t)
  const { memories } = daemon.daemon.store.tables
  memories.countAlive = async () => {
    throw new Error('damaged')
  }
  const { read } = await scrape(daemon)
  t.is(read('memory_service_metrics_failed', { part: 'store' }), 1)
  t.is(read('memory_service_metrics_failed', { part: 'indexes' }), 0)
  t.is(read('memory_service_memories'), undefined)
  t.is(read('memory_service_index_entries', { index: 'memories' }), 0)
})

test('event loop metrics appear from the second scrape on (metrics.md)', async t => {
  const daemon = await startDaemon(t)
  const name = 'memory_service_event_loop_delay_seconds'
  t.is((await scrape(daemon)).read(name), undefined)
  const told = await until(async () => {
    const { read } = await scrape(daemon)
    return read(name, { quantile: '0.99' }) === undefined ? undefined : read
  })
  t.true((told('memory_service_event_loop_active_seconds_total') ?? 0) > 0)
})

async function scrape(daemon: TestDaemon) {
  return parseExposition((await daemon.call('GET /metrics')).body as string)
}
