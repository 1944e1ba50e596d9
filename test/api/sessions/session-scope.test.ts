import test, { type ExecutionContext } from 'ava'
import type { TestDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

/** Starts a team with compactions from two sessions of different projects. */
async function startWithTwo(t: ExecutionContext) {
  const team = await startTeam(t)
  const { call, admin } = team
  for (const project of ['web', 'api'])
    await call('POST /api/hooks/compaction-complete', {
      body: { harness: 'codex', sessionKey: project, project, summary: `what ${project} decided` },
      headers: admin,
    })
  return team
}

test('a token confined to a project sees only that project’s black boxes and summaries (rules.md 4.11 and security.md 5.4)', async t => {
  const { call, token, admin } = await startWithTwo(t)
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const boxes = await call('GET /api/sessions/blackbox', { headers })
  t.deepEqual(
    boxes.body.sessions.map(({ sessionKey }) => sessionKey),
    ['web'],
  )
  t.is((await call('GET /api/sessions/:key/blackbox', { params: { key: 'api' }, headers })).status, 404)
  const query = { project: 'api' }
  t.is((await call('GET /api/sessions/blackbox', { query, headers })).status, 403)
  const own = (await call('GET /api/sessions/summaries', { headers })).body.summaries
  t.deepEqual(
    own.map(({ project }) => project),
    ['web'],
  )
  const all = (await call('GET /api/sessions/summaries', { headers: admin })).body.summaries
  const foreign = all.find(({ project }) => project === 'api')!
  t.is((await call('POST /api/sessions/summaries/expand', { body: { id: foreign.id }, headers })).status, 404)
})

test('recalls and saves in another project do not reveal a session to readers there (rules.md 4.11 and security.md 5.4)', async t => {
  const { call, token, admin: headers } = await startTeam(t)
  const start = { harness: 'codex', sessionKey: 's', project: 'web' }
  await call('POST /api/hooks/session-start', { body: start, headers })
  const query = 'the plan that only web may know'
  await call('POST /api/memory/recall', { body: { query, sessionKey: 's', project: 'api' }, headers })
  const saved = { content: 'api needs a key', sessionId: 's', project: 'api' }
  await call('POST /api/memory/remember', { body: saved, headers })
  const boxFor = (project: string) =>
    call('GET /api/sessions/:key/blackbox', {
      params: { key: 's' },
      headers: token({ role: 'readonly', scope: { project } }),
    })
  t.is((await boxFor('api')).status, 404)
  t.is((await boxFor('web')).body.eventCount, 3)
  // A session without hooks belongs to the first project it mentions.
  for (const project of ['web', 'api'])
    await call('POST /api/memory/recall', { body: { query, sessionKey: 'other', project }, headers })
  const listFor = async (project: string) => {
    const reader = token({ role: 'readonly', scope: { project } })
    const { body } = await call('GET /api/sessions/blackbox', { headers: reader })
    return body.sessions.map(({ sessionKey }) => sessionKey)
  }
  t.deepEqual((await listFor('web')).sort(), ['other', 's'])
  t.deepEqual(await listFor('api'), [])
})

test('hooks show a token confined to a project no message of another (rules.md 4.10 and security.md 5.4)', async t => {
  const { call, token, admin } = await startTeam(t)
  const hook = { harness: 'claude-code' }
  for (const project of ['web', 'api']) {
    const start = { ...hook, sessionKey: `of-${project}`, project }
    await call('POST /api/hooks/session-start', { body: start, headers: admin })
    const sent = { content: `news of ${project}`, from_session_key: `of-${project}`, to_agent_id: 'ada' }
    t.is((await call('POST /api/cross-agent/messages', { body: sent, headers: admin })).status, 201)
  }
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const body = { ...hook, sessionKey: 's', agentId: 'ada' }
  const prompt = { ...body, userMessage: 'what is new?' }
  const replies = [
    await call('POST /api/hooks/session-start', { body, headers }),
    await call('POST /api/hooks/user-prompt-submit', { body: prompt, headers }),
    await call('POST /api/hooks/notifications', { body: { ...body, hook: 'PreToolUse' }, headers }),
  ]
  for (const { status, body } of replies) {
    t.is(status, 200)
    const told = body as { inject: string; notifications?: { unreadCount: number } }
    t.is(told.notifications?.unreadCount, 1)
    t.regex(told.inject, /news of web/)
    t.notRegex(told.inject, /news of api/)
  }
  const all = await call('POST /api/hooks/notifications', {
    body: { ...body, hook: 'PreToolUse' },
    headers: admin,
  })
  t.is(all.body.notifications?.unreadCount, 2)
})

test('a token confined to a project gets a projection of only that project (rules.md 4.10 and security.md 5.4)', async t => {
  const { call, token } = await startWithTwo(t)
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const { prompt } = (await call('POST /api/hooks/synthesis', { body: {}, headers })).body
  t.regex(prompt, /what web decided/)
  t.notRegex(prompt, /what api decided|\*\*api\*\*/)
})

test('a token confined to a user sees no sessions (rules.md 4.11 and security.md 5.4)', async t => {
  const { call, token } = await startWithTwo(t)
  const headers = token({ role: 'agent', scope: { user: 'ann' } })
  t.is((await call('GET /api/sessions/blackbox', { headers })).body.count, 0)
  t.is((await call('GET /api/sessions/:key/blackbox', { params: { key: 'web' }, headers })).status, 404)
  t.is((await call('GET /api/sessions/summaries', { headers })).body.count, 0)
  for (const past of [false, true])
    t.deepEqual((await call('GET /api/sessions', { query: { past }, headers })).body.sessions, [])
  const params = { key: 'web' }
  t.is((await call('GET /api/sessions/:key', { params, headers })).status, 404)
  const body = { enabled: true }
  t.is((await call('POST /api/sessions/:key/bypass', { params, body, headers })).status, 404)
  const { prompt } = (await call('POST /api/hooks/synthesis', { body: {}, headers })).body
  t.notRegex(prompt, /decided/)
})

test('compactions saved with a token confined to a user are under that user’s name (security.md 5.4)', async t => {
  const { call, token } = await startTeam(t)
  const headers = token({ role: 'agent', scope: { user: 'ann' } })
  const body = { harness: 'codex', sessionKey: 's', summary: 'what Ann decided' }
  const { body: kept } = await call('POST /api/hooks/compaction-complete', { body, headers })
  const { body: memory } = await call('GET /api/memory/:id', { params: { id: kept.memoryId! }, headers })
  t.is(memory.who, 'ann')
})

test('native notes saved with a token confined to a user are under that user’s name (security.md 5.4)', async t => {
  const { call, token } = await startTeam(t)
  const headers = token({ role: 'agent', scope: { user: 'ann' } })
  const note = { content: 'Ann runs the linter first' }
  t.is((await call('POST /api/memory/harnessb-native-note', { body: note, headers })).status, 200)
  const { memories } = (await call('GET /api/memories', { headers })).body
  t.deepEqual(
    memories.map(({ who, source_type }) => [who, source_type]),
    [['ann', 'native-note']],
  )
})

test('an agent’s key has its own black boxes and summaries (rules.md 4.11 and security.md 5.2)', async t => {
  const { call, key, admin } = await startTeam(t)
  const { headers } = await key({ agentId: 'ada' })
  const body = { harness: 'codex', sessionKey: 's', summary: 'what Ada decided' }
  t.is((await call('POST /api/hooks/compaction-complete', { body, headers })).status, 200)
  t.is((await call('GET /api/sessions/blackbox', { headers })).body.agentId, 'ada')
  t.is((await call('GET /api/sessions/summaries', { headers })).body.count, 1)
  t.is((await call('GET /api/sessions/summaries', { headers: admin })).body.count, 0)
  const query = { agentId: 'bob' }
  t.is((await call('GET /api/sessions/summaries', { query, headers })).status, 403)
})

test('a token confined to a project cannot reach another through a hook’s folder or session (security.md 5.4)', async t => {
  const team = await startWithTwo(t)
  const { call, token, admin } = team
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const transcript = 'user: the pump'
  const foreign = { cwd: '/elsewhere', sessionKey: 'new' }
  for (const fields of [foreign, { sessionKey: 'api' }]) {
    const body = { harness: 'codex', ...fields }
    const end = await call('POST /api/hooks/session-end', { body: { ...body, transcript }, headers })
    t.like(end, { status: 403, body: { code: 'scope_violation' } })
    const checkpointed = { ...body, transcript: 'user: the pump'.repeat(100) }
    const taken = await call('POST /api/hooks/session-checkpoint-extract', { body: checkpointed, headers })
    t.is(taken.status, 403)
    const prompted = { ...body, userMessage: 'where is the pump?' }
    t.is((await call('POST /api/hooks/user-prompt-submit', { body: prompted, headers })).status, 403)
    t.is((await call('POST /api/hooks/session-start', { body, headers })).status, 403)
  }
  const rows = sessionRows(t, team)
  t.is(rows.find(row => row.session_key === 'api')?.project, 'api')
  t.is(rows.find(row => row.session_key === 'api')?.ended_at, null)
  t.false(
    rows.some(row => row.session_key === 'new'),
    'nothing is recorded',
  )
  t.is(
    (await call('GET /api/sessions/:key/transcript', { params: { key: 'api' }, headers: admin })).status,
    404,
  )
})

test('a hook of a token confined to a project belongs to that project by default (security.md 5.4)', async t => {
  const team = await startTeam(t)
  const headers = team.token({ role: 'agent', scope: { project: 'web' } })
  const body = { harness: 'codex', sessionKey: 's' }
  t.is((await team.call('POST /api/hooks/session-start', { body, headers })).status, 200)
  t.is(sessionRows(t, team)[0]?.project, 'web')
})

function sessionRows(t: ExecutionContext, { paths }: Pick<TestDaemon, 'paths'>) {
  return openRaw(t, paths.database)
    .prepare<[], { session_key: string; project: string | null; ended_at: string | null }>(
      'SELECT session_key, project, ended_at FROM sessions',
    )
    .all()
}
