import test from 'ava'
import { eventData } from '../../../src/client/stream.js'
import type { LogEvent } from '../../../src/contract/operations/logs.js'
import { until } from '../../helpers/daemon-process.js'
import { startSession } from '../../helpers/hooks.js'
import { startLogging } from '../../helpers/logged-daemon.js'

test('log lines are stored by level, category and time, without their details (telemetry.md 1)', async t => {
  const daemon = await startLogging(t)
  const git = daemon.daemon.log.child({ category: 'git' })
  git.info('synced')
  git.warn({ err: Object.assign(new Error('/home/me/secret.md'), { code: 'EACCES' }) }, 'not synced')
  git.fatal('gone')
  const list = async (query: Parameters<typeof daemon.call<'GET /api/logs'>>[1]) =>
    (await daemon.call('GET /api/logs', query)).body
  const { logs, count } = await list({ query: { category: 'git' } })
  t.deepEqual(
    logs.map(({ level, category, message }) => [level, category, message]),
    [
      ['info', 'git', 'synced'],
      ['warn', 'git', 'not synced (EACCES)'],
      ['error', 'git', 'gone'],
    ],
  )
  t.is(count, 3)
  const at = logs[0]?.at as string
  t.is((await list({ query: { category: 'git', level: 'warn' } })).count, 2)
  t.is((await list({ query: { category: 'git', limit: 1 } })).logs[0]?.message, 'gone')
  t.is((await list({ query: { category: 'git', since: at } })).count, 3)
  t.is((await list({ query: { category: 'git', since: '2100-01-01T00:00:00Z' } })).count, 0)
  t.is((await daemon.call('GET /api/logs', { query: { level: 'loud' as 'warn' } })).status, 400)
  const alias = await fetch(`${daemon.url}/api/analytics/logs?category=git`)
  t.deepEqual(await alias.json(), { logs, count })
})

test('a domain has its own category, and request lines contain no values (telemetry.md 1)', async t => {
  const daemon = await startLogging(t)
  await daemon.call('POST /api/memory/remember', { body: { content: 'marked words' } })
  await daemon.call('GET /api/git/status')
  await until(async () => {
    const { logs } = (await daemon.call('GET /api/logs', { query: { category: 'http' } })).body
    return logs.some(({ message }) => /^POST \/api\/memory\/remember 20\d$/u.test(message))
  })
  const { logs } = (await daemon.call('GET /api/logs', { query: { limit: 2000 } })).body
  t.notRegex(JSON.stringify(logs), /marked words/u)
})

test('the log can be followed as it is written, until the daemon ends (telemetry.md 1)', async t => {
  const daemon = await startLogging(t)
  const response = await fetch(`${daemon.url}/api/logs/stream?level=warn&category=git`)
  t.like(Object.fromEntries(response.headers), {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
  })
  const events: LogEvent[] = []
  const body = Promise.resolve(response.body as unknown as AsyncIterable<Buffer>)
  const ended = (async () => {
    for await (const event of eventData<LogEvent>(body)) events.push(event)
  })()
  await until(() => events.length === 1)
  t.deepEqual(events[0], { type: 'connected' })
  const git = daemon.daemon.log.child({ category: 'git' })
  git.info('synced')
  git.warn('not synced')
  await until(() => events.length === 2)
  t.like(events[1] as object, { level: 'warn', category: 'git', message: 'not synced' })
  await daemon.stop()
  await ended
  t.is(events.length, 2)
})

test('usage, latencies and errors are counted by route and stage (telemetry.md 2)', async t => {
  const daemon = await startLogging(t)
  const id = await daemon.remember('the port is 8080')
  await daemon.recall('port')
  await daemon.call('PATCH /api/memory/:id', { params: { id }, body: { reason: 'r', pinned: true } })
  await daemon.call('DELETE /api/memory/:id', { params: { id: 'nope' }, body: { reason: 'r' } })
  await fetch(`${daemon.url}/nowhere/marked`)
  const usage = await until(async () => {
    const { body } = await daemon.call('GET /api/analytics/usage')
    return body.requests.total >= 5 ? body : undefined
  })
  t.deepEqual(usage.memory, { remembered: 1, recalled: 1, modified: 1, forgotten: 0, recovered: 0 })
  t.like(usage.injected, { starts: 0, prompts: 0, tokens: 0, today: { byHarness: [] } })
  const removal = usage.endpoints.find(({ method }) => method === 'DELETE')
  t.like(removal, { route: '/api/memory/:id', count: 1, errors: 1 })
  t.notRegex(JSON.stringify(usage), /marked|nope/u)
  const latency = (await daemon.call('GET /api/analytics/latency')).body
  t.is(latency.remember.count, 1)
  t.true((latency.remember.p50 ?? 0) > 0 && (latency.recall.p99 ?? 0) > 0)
  t.is(latency.mutate.count, 2)
  daemon.daemon.log.child({ category: 'memory' }).error('hints not written')
  daemon.daemon.log.child({ category: 'git' }).warn('not synced')
  const { errors, summary } = (await daemon.call('GET /api/analytics/errors')).body
  t.deepEqual(
    errors.map(({ stage, message }) => [stage, message]),
    [
      ['git', 'not synced'],
      ['memory', 'hints not written'],
    ],
  )
  t.deepEqual(summary, { total: 2, byStage: { git: 1, memory: 1 } })
  const safety = (await daemon.call('GET /api/analytics/memory-safety')).body
  t.like(safety, { errorSummary: { total: 1, byStage: { memory: 1 } } })
  t.like(safety.mutation, { count: 2, errors: 0 })
  t.is((await daemon.call('GET /api/analytics/errors', { query: { stage: 'git' } })).body.errors.length, 1)
  const { diagnostics } = await startSession(daemon, { sessionKey: 's1' })
  t.true(diagnostics.injectTokens > 0)
  const { injected } = (await daemon.call('GET /api/analytics/usage')).body
  const given = { starts: 1, prompts: 0, tokens: diagnostics.injectTokens }
  t.like(injected, { ...given, today: { byHarness: [{ harness: 'claude-code', ...given }] } })
  t.true(Date.parse(injected.today.since) <= Date.now())
  const { days } = (await daemon.call('GET /api/analytics/days', { query: { days: 2 } })).body
  const today = { saved: 1, recalls: 1, found: 1, starts: 1, prompts: 0, tokens: diagnostics.injectTokens }
  t.like(days[0], { saved: 0, recalls: 0, tokens: 0 })
  t.like(days[1], today)
  t.true(days[1]!.recallMs > 0)
})

/** Starts a daemon that logs at the most detailed level. */
