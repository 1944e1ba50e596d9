import test from 'ava'
import { summaryOf } from '../../../src/daemon/operations/analytics/routes.js'
import { capture } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { startSession } from '../../helpers/hooks.js'
import { startTeam } from '../../helpers/team.js'

test('an ended session is scored by the memories it was shown and used; without data it has no score (telemetry.md 7)', async t => {
  const daemon = await startDaemon(t)
  const scores = async (query = {}) => (await daemon.call('GET /api/analytics/continuity', { query })).body
  t.deepEqual(await scores(), { scores: [], summary: { count: 0, average: null, trend: null, latest: null } })
  const used = await daemon.remember('The staging database listens on port 6543', { project: 'shop' })
  const rated = await daemon.remember('Deployments happen on Tuesday mornings', { project: 'shop' })
  await daemon.remember('Marked words about umbrellas and lighthouses', { project: 'shop' })
  const project = 'shop'
  await startSession(daemon, { sessionKey: 's1', project })
  await daemon.call('POST /api/memory/feedback', { body: { session_key: 's1', ratings: { [rated]: 1 } } })
  await daemon.call('POST /api/hooks/remember', {
    body: { harness: 'claude-code', sessionKey: 's1', project, content: 'The cache is cleared nightly' },
  })
  await capture(daemon, {
    sessionKey: 's1',
    project,
    reason: 'clear',
    transcript: 'user: connect me to staging\n\nassistant: I open the staging database at port 6543.',
  })
  const { scores: found, summary } = await until(async () => {
    const reply = await scores({ project })
    return reply.scores.length > 0 ? reply : undefined
  })
  t.like(found[0], {
    session_key: 's1',
    project,
    harness: 'claude-code',
    score: 0.667,
    memories_recalled: 3,
    memories_used: 2,
    novel_context_count: 1,
    reasoning:
      '2 of 3 shown memories were used; 1 rated as helpful, 0 named by id, 1 repeated in replies; new memories saved: 1',
  })
  t.deepEqual(summary, { count: 1, average: 0.667, trend: null, latest: 0.667 })
  t.notRegex(JSON.stringify(found), /Marked|6543|Tuesday/u)
  t.truthy(used)
  // This session was shown a memory and left neither a rating nor a conversation.
  await startSession(daemon, { sessionKey: 's2', project })
  const end = (sessionKey: string) =>
    daemon.call('POST /api/hooks/session-end', { body: { harness: 'claude-code', sessionKey, project } })
  await end('s2')
  // This session was shown nothing.
  await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'claude-code', sessionKey: 's3', project: 'other' },
  })
  // This session left a rating but no conversation.
  await startSession(daemon, { sessionKey: 's4', project })
  await daemon.call('POST /api/memory/feedback', { body: { session_key: 's4', ratings: { [rated]: -1 } } })
  await end('s4')
  const after = (await scores()).scores
  t.deepEqual(
    after.map(({ session_key }) => session_key),
    ['s4', 's1'],
  )
  t.like(after[0], { score: 0, memories_used: 0 })
  t.regex(after[0]?.reasoning ?? '', /1 rated as harmful; no conversation was captured/u)
})

test('scores are listed by project and agent, newest first, for readers with access (telemetry.md 7)', async t => {
  const team = await startTeam(t)
  const { continuityScores } = team.daemon.store.tables
  const put = (id: string, agent_id: string, project: string | null, score: number) =>
    continuityScores.put({
      id,
      agent_id,
      session_key: id,
      project,
      harness: 'codex',
      score,
      memories_recalled: 4,
      memories_used: 4 * score,
      novel_context_count: 0,
      reasoning: 'r',
      created_at: `2026-01-01T00:00:0${id}.000Z`,
    })
  await put('1', 'ann', 'shop', 0.25)
  await put('2', 'bob', 'shop', 0.5)
  await put('3', 'ann', null, 0.75)
  await put('4', 'ann', 'web', 1)
  const read = async (headers: { authorization: string }, query = {}) => {
    const { status, body } = await team.call('GET /api/analytics/continuity', { headers, query })
    return status === 200 ? body.scores.map(({ id }) => id).join('') : status
  }
  const within = (scope: object) => team.token({ role: 'operator', scope })
  t.is(await read(team.admin), '4321')
  t.is(await read(team.admin, { limit: 2 }), '43')
  t.is(await read(team.admin, { project: 'shop' }), '21')
  t.is(await read(team.admin, { limit: 501 }), 400)
  t.is(await read(within({ agent: 'bob' })), '2')
  t.is(await read(within({ project: 'web' })), '4')
  t.is(await read(within({ project: 'web' }), { project: 'shop' }), 403)
  t.is(await read(within({ user: 'cas' })), '')
  t.is(await read(team.token({ role: 'agent' })), 403)
  const latest = await team.call('GET /api/analytics/continuity/latest', { headers: team.admin })
  t.deepEqual(
    latest.body.scores.map(({ project, score }) => [project, score]),
    [
      ['web', 1],
      [null, 0.75],
      ['shop', 0.5],
    ],
  )
})

test('a summary has no trend when there are too few scores (telemetry.md 7)', t => {
  t.deepEqual(summaryOf([0.8, 0.6, 0.2]), { count: 3, average: 0.533, trend: null, latest: 0.8 })
  t.deepEqual(summaryOf([0.8, 0.6, 0.1, 0.4, 0.2]), { count: 5, average: 0.42, trend: 0.4, latest: 0.8 })
})
