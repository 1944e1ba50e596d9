import test from 'ava'
import type { SessionEvent } from '../../../src/contract/sessions/black-box.js'
import { tokensOf } from '../../../src/daemon/ground/text/tokens.js'
import { advanceEpoch } from '../../../src/daemon/memory/recall/choose/ledger.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { storeEntities } from '../../helpers/entities.js'
import { startSession, storeMessages, submitPrompt } from '../../helpers/hooks.js'
import { openRaw } from '../../helpers/store.js'

const dayMs = 86_400_000

const box = async ({ call }: TestDaemon, key = 's1', query: object = {}) =>
  (await call('GET /api/sessions/:key/blackbox', { params: { key }, query: { ...query } })).body

const complete = ({ call }: TestDaemon) =>
  call('POST /api/hooks/compaction-complete', {
    body: { harness: 'codex', sessionKey: 's1', summary: 'we moved the server' },
  })

test('a recall with a session key records its query and results (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the server is in rack 4', { project: '/work/app' })
  await daemon.recall('server rack', { sessionKey: 's1', project: '/work/app', limit: 3 })
  const { events, eventCount, names } = await box(daemon)
  t.is(eventCount, 2)
  t.like(events[0], {
    kind: 'recall.requested',
    detail: 'server rack',
    refs: [],
    payload: { queryLength: 11, limit: 3, filters: { project: '/work/app' } },
  })
  t.like(events[1], { kind: 'recall.result', title: '1 memory shown', payload: { count: 1, withheld: 0 } })
  t.deepEqual(events[1]!.refs, [id])
  const [given] = events[1]!.payload.given ?? []
  t.like(given, { id, kind: 'memory', by: 'keyword' })
  t.true(given!.score! > 0 && given!.score! <= 1)
  t.deepEqual(names, { [id]: 'the server is in rack 4' })
})

test('a recall without a session key records nothing (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await daemon.recall('server')
  t.is((await daemon.call('GET /api/sessions/blackbox')).body.count, 0)
})

test('activity lists questions and given contexts of all sessions, newest first (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('the server is in rack 4', { project: '/work/app' })
  await startSession(daemon, { sessionKey: 's1', project: '/work/app' })
  await daemon.recall('server rack', { sessionKey: 's2', project: '/work/other' })
  await daemon.recall('server', { sessionKey: 's3', project: '/work/app' })
  const activity = async (query = {}) => (await daemon.call('GET /api/sessions/activity', { query })).body
  const all = await activity()
  t.like(all.activity[0], { kind: 'asked', question: 'server', sessionKey: 's3', count: 1, tokens: 0 })
  t.like(all.activity[1], { kind: 'asked', question: 'server rack', project: '/work/other', harness: null })
  t.like(all.activity[2], {
    kind: 'given',
    surface: 'start',
    harness: 'claude-code',
    question: null,
    count: 1,
  })
  t.true(all.activity[2]!.tokens > 0)
  t.is(all.count, 3)
  t.deepEqual(
    (await activity({ project: '/work/app' })).activity.map(({ kind }) => kind),
    ['asked', 'given'],
  )
  t.is((await activity({ limit: 1 })).count, 1)
  t.is((await activity({ agentId: 'ada' })).count, 0)
})

test('a query is recorded by its beginning, without private spans (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await daemon.recall(`where <private>CANARY</private> is ${'it '.repeat(500)}`, { sessionKey: 's1' })
  const [asked] = (await box(daemon)).events
  t.true(asked!.detail.length <= 200)
  t.true(asked!.detail.startsWith('where '))
  t.false(asked!.detail.includes('CANARY'))
})

test('a session’s save records its id, never its content (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('a secret plan', { sessionId: 's1' })
  const { events } = await box(daemon)
  t.like(events[0], { kind: 'assertion.created', title: 'fact remembered' })
  t.deepEqual(events[0]!.refs, [id])
  t.false(JSON.stringify(events).includes('secret plan'))
})

test('a compaction records the summary it wrote (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const { body } = await complete(daemon)
  const { events } = await box(daemon)
  const written = events.find(({ kind }) => kind === 'artifact.written')
  t.deepEqual(written?.refs, [body.memoryId!])
  t.like(written?.payload, { artifact: 'compaction', path: body.path!, contextEpoch: 1 })
  await complete(daemon)
  t.is((await box(daemon)).eventCount, events.length)
})

test('a session’s starting context is recorded in its black box (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('always say hello', { importance: 0.4 })
  const pinned = await daemon.remember('never say goodbye', { pinned: true })
  storeMessages(t, daemon, [{ id: 'm1', to: 'default', content: 'CANARY' }])
  await startSession(daemon, { sessionKey: 's1', project: '/work/app' })
  const { events, frame } = await box(daemon)
  const { payload, ...event } = events.at(-1)!
  t.like(event, { kind: 'context.recalled', title: '2 memories at session start', refs: [pinned, id] })
  t.like(payload, { surface: 'start', recencyBias: 0.7, sections: ['memories', 'notifications'] })
  t.true(payload.tokens! > 0 && payload.tokens! <= payload.maxTokens!)
  t.like(payload.given![0], { id: pinned, kind: 'memory', by: 'pinned', score: 1 })
  t.like(payload.given![1], { id, by: 'rule', importance: 0.4 })
  // importance * (1 - 0.7) + 0.7 / (1 + age in days)
  t.true(Math.abs(payload.given![1]!.score! - 0.82) < 0.001)
  t.deepEqual(payload.given!.slice(2), [{ id: 'm1', kind: 'message', by: 'unread' }])
  t.deepEqual(frame.activeRefs.toSorted(), [pinned, id].toSorted())
  t.false(JSON.stringify(events).includes('CANARY'))
  await startSession(daemon, { sessionKey: 's1' })
  t.like((await box(daemon)).events.at(-1), { refs: [], payload: { leftOut: { shownBefore: 2 } } })
})

test('the black box records what a prompt received and why, without its text (rules.md 4.11)', async t => {
  const environment = { SERVICE_PROMPT_SUBMIT_TIMEOUT: '120000' }
  const daemon = await startDaemon(t, { environment })
  storeEntities(t, daemon, [
    { name: 'Acme Corp', aliases: ['ACME'], attributes: [{ content: 'is in Berlin', score: 0.9 }] },
    { name: 'Till', attributes: [{ content: 'is dull', score: 0.1 }] },
  ])
  await submitPrompt(daemon, 'yes', { sessionKey: 's1' })
  await submitPrompt(daemon, 'where is nobody we know?', { sessionKey: 's1' })
  t.deepEqual((await box(daemon)).events, [])
  const asked = await submitPrompt(daemon, 'CANARY asks where acme is, and the till', { sessionKey: 's1' })
  const { events, names, frame } = await box(daemon)
  const [{ payload, ...event }] = events as [SessionEvent]
  t.like(event, { kind: 'context.recalled', title: '1 entity added to a prompt', detail: '', refs: [] })
  t.like(payload, { surface: 'prompt', minScore: 0.6, leftOut: { notSure: 1 } })
  t.is(payload.tokens, tokensOf(asked.body.inject))
  const [given] = payload.given!
  t.like(given, { kind: 'entity', by: 'alias', score: 0.9 })
  t.is(given!.values?.length, 1)
  t.deepEqual(names, { [given!.id]: 'Acme Corp' })
  t.deepEqual(frame.activeRefs, [])
  t.notRegex(JSON.stringify(events), /CANARY|Berlin|Acme/u)
  storeMessages(t, daemon, [{ id: 'm1', to: 'default' }])
  await submitPrompt(daemon, 'yes', { sessionKey: 's1' })
  t.like((await box(daemon)).events.at(-1), {
    title: '1 message added to a prompt',
    payload: { given: [{ id: 'm1', kind: 'message', by: 'unread' }] },
  })
  const [row] = (await daemon.call('GET /api/sessions/blackbox')).body.sessions
  t.is(row?.recallEvents, 2)
})

test('a prompt whose lookup timed out is marked in the black box (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t, { environment: { SERVICE_PROMPT_SUBMIT_TIMEOUT: '0.001' } })
  await submitPrompt(daemon, 'where is Acme Corp?', { sessionKey: 's1' })
  // The answer does not wait for its record.
  const event = await until(async () => (await box(daemon)).events.at(-1))
  t.like(event, {
    title: 'nothing added to a prompt',
    payload: { tokens: 0, missed: 'late' },
  })
})

test('the list shows each session’s events, most recently written first (rules.md 4.11)', async t => {
  let now = new Date('2026-01-01T00:00:00Z')
  const daemon = await startDaemon(t, { clock: () => now })
  await daemon.recall('anything', { sessionKey: 's2', project: '/other' })
  now = new Date('2026-01-01T01:00:00Z')
  await complete(daemon)
  const { body } = await daemon.call('GET /api/sessions/blackbox')
  t.is(body.agentId, 'default')
  t.is(body.count, 2)
  t.like(body.sessions[0], { sessionKey: 's1', lastAt: now.toISOString(), artifactEvents: 1 })
  t.deepEqual(body.sessions[1], {
    sessionKey: 's2',
    agentId: 'default',
    project: '/other',
    lastAt: '2026-01-01T00:00:00.000Z',
    recallEvents: 2,
    artifactEvents: 0,
  })
  const one = await daemon.call('GET /api/sessions/blackbox', { query: { project: '/other' } })
  t.is(one.body.count, 1)
  t.is((await daemon.call('GET /api/sessions/blackbox', { query: { limit: 1 } })).body.count, 1)
  t.is((await daemon.call('GET /api/sessions/blackbox', { query: { limit: 501 } })).status, 400)
})

test('a caller sees only its agent’s black boxes; an unknown session is 404 (rules.md 4.11 and 7)', async t => {
  const daemon = await startDaemon(t)
  await daemon.recall('anything', { sessionKey: 's1', agentId: 'ada', project: '/work' })
  const answer = async (query: object, key = 's1') =>
    (await daemon.call('GET /api/sessions/:key/blackbox', { params: { key }, query: { ...query } })).status
  t.is(await answer({ agentId: 'ada' }), 200)
  t.is(await answer({ agent_id: 'ada' }, 'session:s1'), 200)
  t.is(await answer({ agentId: 'ada', project: '/work' }), 200)
  t.is(await answer({ agentId: 'ada', project: '/other' }), 404)
  t.is(await answer({}), 404)
  t.is(await answer({ agentId: 'ada' }, 'unknown'), 404)
  t.is((await daemon.call('GET /api/sessions/blackbox')).body.count, 0)
})

test('the frame contains the memories shown in the current context epoch, and the last summary (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const first = await daemon.remember('the server is in rack 4')
  await daemon.recall('server rack', { sessionKey: 's1' })
  const { frame } = await box(daemon)
  t.deepEqual(frame.activeRefs, [first])
  t.is(frame.activeRefCount, 1)
  const { body } = await complete(daemon)
  t.deepEqual((await box(daemon)).frame.activeRefs, [body.memoryId!])
  const second = await daemon.remember('the printer is broken')
  await daemon.recall('printer', { sessionKey: 's1' })
  t.deepEqual((await box(daemon)).frame.activeRefs, [second, body.memoryId!])
})

test('a summary leaves the frame when another epoch begins without one (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await complete(daemon)
  await advanceEpoch(daemon.daemon, 'default', 's1')
  t.deepEqual((await box(daemon)).frame.activeRefs, [])
})

test('likely influences are memories shown high in a list, often and recently (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const printer = await daemon.remember('the printer is on the second floor')
  const server = await daemon.remember('the server is in rack 4 beside the printer')
  await daemon.recall('printer', { sessionKey: 's1' })
  await daemon.recall('server rack', { sessionKey: 's1', includeRecalled: true })
  const { likelyInfluences } = (await box(daemon)).frame
  t.deepEqual(
    likelyInfluences.map(({ id }) => id),
    [server, printer],
  )
  t.like(likelyInfluences[0], { times: 2, rank: 1, preview: 'the server is in rack 4 beside the printer' })
})

test('the frame warns of memories that are no longer current (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const { call, paths } = daemon
  const names = ['forgotten', 'replaced', 'tainted', 'expired', 'good'] as const
  const ids = new Map<string, string>()
  for (const name of names) ids.set(name, await daemon.remember(`rack number ${name}`))
  await daemon.recall('rack number', { sessionKey: 's1' })
  const params = { id: ids.get('forgotten')! }
  await call('DELETE /api/memory/:id', { params, body: { reason: 'wrong' } })
  await daemon.remember('there is a newer one', { supersedes: ids.get('replaced')! })
  const raw = openRaw(t, paths.database)
  raw.prepare("UPDATE memories SET safety_status = 'tainted' WHERE id = ?").run(ids.get('tainted'))
  raw
    .prepare("UPDATE memories SET valid_until = '2020-01-01T00:00:00.000Z' WHERE id = ?")
    .run(ids.get('expired'))
  const { warnings, likelyInfluences, activeRefCount } = (await box(daemon)).frame
  t.is(activeRefCount, 5)
  t.deepEqual(Object.fromEntries(warnings.map(({ ref, code }) => [ref, code])), {
    [ids.get('forgotten')!]: 'forgotten',
    [ids.get('replaced')!]: 'superseded',
    [ids.get('tainted')!]: 'unsafe',
    [ids.get('expired')!]: 'expired',
  })
  for (const name of ['forgotten', 'tainted'])
    t.is(likelyInfluences.find(({ id }) => id === ids.get(name))?.preview, '')
})

test('a session’s black box is bounded, and the newest events stay (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const { sessionEvents } = daemon.daemon.store.tables
  const event = (n: number) => ({
    id: String(n),
    kind: 'artifact.written',
    title: 't',
    detail: '',
    refs: '[]',
    payload: '{}',
  })
  const session = { agentId: 'default', sessionKey: 's1' }
  for (let n = 0; n < 800; n += 10)
    await sessionEvents.append(
      session,
      null,
      Array.from({ length: 10 }, (_, i) => event(n + i)),
      new Date().toISOString(),
    )
  const { events, eventCount } = await box(daemon)
  t.true(eventCount >= 500 && eventCount <= 550)
  t.is(events.at(-1)!.id, '799')
})

test('black boxes are kept for 30 days (rules.md 4.11)', async t => {
  let now = new Date('2026-01-01T00:00:00Z')
  const first = await startDaemon(t, { clock: () => now })
  await first.recall('old', { sessionKey: 'old' })
  now = new Date(now.getTime() + dayMs)
  await first.recall('new', { sessionKey: 'new' })
  const { sessionEvents } = first.daemon.store.tables
  const before = new Date(now.getTime() - 1).toISOString()
  await first.daemon.blackBoxes.flush()
  t.is(await sessionEvents.purge(before, 500), 3)
  t.deepEqual(
    (await first.call('GET /api/sessions/blackbox')).body.sessions.map(({ sessionKey }) => sessionKey),
    ['new'],
  )
})

test('a failed event write does not fail a recall, and is retried later (recall.md 1.3.9)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the server is in rack 4')
  const raw = openRaw(t, daemon.paths.database)
  raw.exec("CREATE TRIGGER broken BEFORE INSERT ON session_logs BEGIN SELECT RAISE(ABORT, 'no'); END")
  t.deepEqual(await daemon.recall('server rack', { sessionKey: 's1' }), [id])
  t.is((await daemon.call('GET /api/sessions/blackbox')).body.count, 0)
  raw.exec('DROP TRIGGER broken')
  t.is((await box(daemon)).eventCount, 2)
})
