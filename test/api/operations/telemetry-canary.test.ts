import { readFileSync } from 'node:fs'
import test from 'ava'
import { eventProperties, isEventName } from '../../../src/contract/operations/telemetry/telemetry-events.js'
import { RecentLogs } from '../../../src/daemon/ground/telemetry/recent-logs.js'
import { createLog } from '../../../src/daemon/process/log.js'
import { callEveryRoute, settingsWithVectors } from '../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

/** Marked words of all requests: contents, queries, projects, agents and values. */
const marks =
  /harbour|crane|painted|containers|keeps|marked|\/shop|\/elsewhere|maya|noor|long passphrase|tidy|codex-rollout/iu
/** The log file may contain agents, projects and keys for debugging, so only these are forbidden there. */
const contents =
  /harbour|crane|painted|containers|marked-(?:content|query|secret|value|reason)|long passphrase/iu

test('telemetry, logs and metrics contain no marked word of requests to every route (telemetry.md 9)', async t => {
  const lines: string[] = []
  const recentLogs = new RecentLogs()
  const write = (line: string) => {
    lines.push(line)
    recentLogs.take(line)
  }
  const log = createLog({ write }, 'debug')
  const daemon = await startDaemon(t, { settings: await settingsWithVectors(t), log, recentLogs })
  await callEveryRoute(t, daemon)
  await askMarked(daemon)
  const events = await eventsOf(daemon)
  const text = async (path: string) => (await fetch(`${daemon.url}${path}`)).text()
  const stored = await text('/api/memories?limit=1000&agentId=marked-agent')
  t.true(stored.includes('marked-content'), 'the marks arrived')
  const told = {
    events: JSON.stringify(events),
    file: readFileSync(daemon.paths.telemetryEvents, 'utf8'),
    export: await text('/api/telemetry/export?limit=100000'),
    health: await text('/api/telemetry/health'),
    stats: await text('/api/telemetry/stats'),
    metrics: await text('/metrics'),
    logs: await text('/api/logs?limit=2000'),
    usage: await text('/api/analytics/usage'),
    latency: await text('/api/analytics/latency'),
    errors: await text('/api/analytics/errors'),
  }
  for (const [where, words] of Object.entries(told)) {
    t.true(words.length > 50, `${where} is empty`)
    t.deepEqual(words.match(new RegExp(`.{0,80}(?:${marks.source}).{0,20}`, 'giu')) ?? [], [], where)
  }
  t.deepEqual(
    lines.filter(line => contents.test(line)),
    [],
    'the log file',
  )
  const names = new Set(events.map(({ event }) => event))
  for (const name of ['recall.outcome', 'session.end', 'source.lifecycle', 'dreaming.pass'])
    t.true(names.has(name), `${name} was not recorded`)
  for (const name of ['embedding.generate', 'pipeline.operation'])
    t.true(names.has(name), `${name} was not recorded`)
  for (const { event, properties } of events) {
    if (!isEventName(event)) t.fail(`${event} is not documented`)
    else t.notThrows(() => eventProperties[event].parse(properties), JSON.stringify(properties))
  }
})

async function eventsOf(daemon: TestDaemon) {
  return (await daemon.call('GET /api/telemetry/events', { query: { limit: 10_000 } })).body.events
}

/**
 * Sends marked words wherever callers choose text: headers, keys, paths, names, reasons, refused requests.
 */
async function askMarked({ url, call }: TestDaemon): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-service-actor': 'marked-actor',
    'x-service-session-key': 'marked-session',
    'x-service-surface': 'marked-surface',
    'x-request-id': 'marked-request',
  }
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const session = { harness: 'marked-harness', sessionKey: 'marked-key', project: '/marked/project' }
  await post('/api/memory/remember', {
    content: 'marked-content of a memory',
    tags: 'marked-tag',
    who: 'marked-who',
    project: '/marked/project',
    agentId: 'marked-agent',
  })
  await post('/api/memory/recall', { query: 'marked-query', sessionKey: 'marked-key', type: 'marked-type' })
  await post('/api/hooks/user-prompt-submit', {
    ...session,
    userMessage: 'what about the marked-query of it',
  })
  await post('/api/hooks/session-end', {
    ...session,
    reason: 'marked-reason',
    transcript: 'user: marked-content\nassistant: marked-content',
  })
  await post('/api/hooks/session-end', { ...session, reason: 'clear' })
  await post('/api/secrets/MARKED', { value: 'marked-secret-value' })
  await post('/api/sources', { kind: 'notevault', root: '/marked/vault', name: 'marked-vault' })
  await post('/api/documents', { source_type: 'url', url: 'http://127.0.0.1:1/marked-path' })
  await post('/api/marked/route', '{"marked": ')
  await post('/api/memory/recall', '{"query": "marked-query", ')
  await fetch(`${url}/api/memory/marked-id?marked=marked-query`)
  await fetch(`${url}/api/telemetry/events?event=marked-event`)
  await call('POST /api/dream/trigger')
}
