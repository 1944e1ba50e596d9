import test, { type ExecutionContext } from 'ava'
import { startTeam } from '../helpers/team.js'

/** A team in which two sessions of different projects were compacted. */
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

test('a token confined to a project sees black boxes and summaries of that project alone (spec 1, 4.11 and 5.4)', async t => {
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

test('a token confined to a project is projected that project alone (spec 1, 4.10 and 5.4)', async t => {
  const { call, token } = await startWithTwo(t)
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const { prompt } = (await call('POST /api/hooks/synthesis', { body: {}, headers })).body
  t.regex(prompt, /what web decided/)
  t.notRegex(prompt, /what api decided|\*\*api\*\*/)
})

test('a token confined to a user sees nobody’s sessions (spec 1, 4.11 and 5.4)', async t => {
  const { call, token } = await startWithTwo(t)
  const headers = token({ role: 'agent', scope: { user: 'ann' } })
  t.is((await call('GET /api/sessions/blackbox', { headers })).body.count, 0)
  t.is((await call('GET /api/sessions/:key/blackbox', { params: { key: 'web' }, headers })).status, 404)
  t.is((await call('GET /api/sessions/summaries', { headers })).body.count, 0)
  const { prompt } = (await call('POST /api/hooks/synthesis', { body: {}, headers })).body
  t.notRegex(prompt, /decided/)
})

test('a token confined to a user keeps compactions under its name (spec 1, 5.4)', async t => {
  const { call, token } = await startTeam(t)
  const headers = token({ role: 'agent', scope: { user: 'ann' } })
  const body = { harness: 'codex', sessionKey: 's', summary: 'what Ann decided' }
  const { body: kept } = await call('POST /api/hooks/compaction-complete', { body, headers })
  const { body: memory } = await call('GET /api/memory/:id', { params: { id: kept.memoryId! }, headers })
  t.is(memory.who, 'ann')
})

test('a key of an agent has its own black boxes and summaries (spec 1, 4.11 and 5.2)', async t => {
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
