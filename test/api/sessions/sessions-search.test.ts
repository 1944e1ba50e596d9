import test from 'ava'
import { capture } from '../../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { startTeam } from '../../helpers/team.js'

const path = 'POST /api/sessions/search'

test('sessions are found by their text, best first, with the match in a bounded excerpt (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const filler = 'nothing of interest was said here at all '.repeat(80)
  await capture(daemon, {
    sessionKey: 'a',
    project: '/p',
    transcript: `user: ${filler} the zeppelin hangar needs paint ${filler}`,
  })
  await capture(daemon, { sessionKey: 'b', transcript: 'user: a zeppelin\nassistant: which one?' })
  await capture(daemon, { sessionKey: 'c', transcript: 'user: about boats' })
  const { body } = await daemon.call(path, { body: { query: 'painting the zeppelin hangar' } })
  t.is(body.query, 'painting the zeppelin hangar')
  t.is(body.count, 2)
  t.deepEqual(
    body.hits.map(({ sessionKey, rank }) => [sessionKey, rank]),
    [
      ['a', 1],
      ['b', 2],
    ],
  )
  const [first] = body.hits
  t.true(first?.excerpt.includes('zeppelin hangar needs paint'))
  t.true((first?.excerpt.length ?? 0) <= 402)
  t.like(first, { project: '/p' })
  t.false(Number.isNaN(Date.parse(first?.updatedAt ?? '')))
})

test('the limit is clamped to 1 to 20, and one session is one hit (rules.md 4.11 and 8)', async t => {
  const daemon = await startDaemon(t)
  for (let n = 0; n < 22; n++)
    await capture(daemon, {
      sessionKey: `s${n}`,
      transcript: `user: the pump ${n}\nassistant: ${'pump talk '.repeat(400)}`,
    })
  for (const [limit, count] of [
    [0, 1],
    [-5, 1],
    [7, 7],
    [20, 20],
    [500, 20],
    [undefined, 10],
  ] as const) {
    const { body } = await daemon.call(path, { body: { query: 'pump', limit } })
    t.is(body.count, count, `limit ${limit}`)
    t.is(new Set(body.hits.map(({ sessionKey }) => sessionKey)).size, count)
  }
})

test('the current session is excluded, and a named one is searched alone (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  for (const key of ['a', 'b', 'c'])
    await capture(daemon, { sessionKey: key, transcript: `user: the pump of ${key}` })
  t.deepEqual(await keys(daemon, { currentSessionKey: 'b' }), ['a', 'c'])
  t.deepEqual(await keys(daemon, { currentSessionKey: 'session:b' }), ['a', 'c'])
  t.deepEqual(await keys(daemon, { sessionKey: 'b', currentSessionKey: 'b' }), ['b'])
  t.deepEqual(await keys(daemon, { sessionKey: 'session:c' }), ['c'])
  t.deepEqual(await keys(daemon, { sessionKey: 'nowhere' }), [])
})

test('the current session does not displace others, even with all the best passages (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const talk = `user: ${'pump pump pump. '.repeat(20_000)}`
  await capture(daemon, { sessionKey: 'long', transcript: talk })
  await capture(daemon, {
    sessionKey: 'other',
    transcript: `user: ${'of other things '.repeat(40)} and a pump`,
  })
  t.deepEqual(await keys(daemon, { limit: 1 }), ['long'])
  t.deepEqual(await keys(daemon, { limit: 1, currentSessionKey: 'long' }), ['other'])
})

test('a sub-agent’s session searches its parent session (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  for (const key of ['agent:main:main', 'parent', 'other', 'child'])
    await capture(daemon, { sessionKey: key, transcript: `user: the pump of ${key}` })
  t.deepEqual(await keys(daemon, { currentSessionKey: 'agent:main:subagent:77' }), ['agent:main:main'])
  t.deepEqual(await keys(daemon, { currentSessionKey: 'parent:subagent:1' }), ['parent'])
  const start = (sessionKey: string) =>
    daemon.call('POST /api/hooks/session-start', {
      body: { harness: 'codex', sessionKey, parentSessionKey: 'other' },
    })
  await start('parent:subagent:2')
  t.deepEqual(await keys(daemon, { currentSessionKey: 'parent:subagent:2' }), ['other'])
  await start('child')
  const all = ['agent:main:main', 'other', 'parent']
  t.deepEqual(await keys(daemon, { currentSessionKey: 'child' }), all, 'a fork is not a sub-agent')
})

test('results are limited to the named agent and project (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 'a', agentId: 'ada', project: '/p', transcript: 'user: the pump' })
  await capture(daemon, { sessionKey: 'b', agentId: 'ada', project: '/q', transcript: 'user: the pump' })
  await capture(daemon, { sessionKey: 'c', agentId: 'bob', transcript: 'user: the pump' })
  t.deepEqual(await keys(daemon, {}), [])
  t.deepEqual(await keys(daemon, { agentId: 'ada' }), ['a', 'b'])
  t.deepEqual(await keys(daemon, { agent_id: 'ada', project: '/q' }), ['b'])
  t.deepEqual(await keys(daemon, { agentId: 'bob', sessionKey: 'a' }), [])
})

test('a credential sees only transcripts of its agent and project (rules.md 4.11 and security.md 5.4)', async t => {
  const team = await startTeam(t)
  const headers = team.admin
  for (const [sessionKey, agentId, project] of [
    ['a', 'ada', '/p'],
    ['b', 'ada', '/q'],
    ['c', 'bob', '/p'],
  ] as const)
    await team.call('POST /api/hooks/session-end', {
      headers,
      body: { harness: 'codex', sessionKey, agentId, project, transcript: `user: the pump of ${sessionKey}` },
    })
  const scoped = team.token({ role: 'agent', scope: { agent: 'ada', project: '/p' } })
  const search = (body: object) => team.call(path, { headers: scoped, body: { query: 'pump', ...body } })
  const read = async (key: string) =>
    (await team.call('GET /api/sessions/:key/transcript', { headers: scoped, params: { key } })).status
  for (let waited = 0; waited < 500 && (await search({})).body.count === 0; waited++);
  t.deepEqual(
    (await search({})).body.hits.map(({ sessionKey }) => sessionKey),
    ['a'],
  )
  t.deepEqual([await read('a'), await read('b'), await read('c'), await read('x')], [200, 404, 404, 404])
  t.is((await search({ agentId: 'bob' })).status, 403)
  t.is((await search({ project: '/q' })).status, 403)
  const reader = team.token({ role: 'readonly' })
  t.is(
    (await team.call(path, { headers: reader, body: { query: 'pump' } })).status,
    200,
    'it needs the permission recall',
  )
})

test('a query is required (rules.md 4.11)', async t => {
  const { call } = await startDaemon(t)
  for (const body of [{}, { query: '' }, { query: '  ' }, { query: 'a', limit: 'many' }])
    t.is((await call(path, { body: body as never })).status, 400)
})

test('the session index is available after a restart, with or without its snapshot', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 'a', transcript: 'user: the pump' })
  await capture(daemon, { sessionKey: 'b', transcript: 'user: the crane' })
  await daemon.stop()
  const { rmSync, readFileSync } = await import('node:fs')
  const { transcriptSnapshot: snapshot } = daemon.daemon.paths
  t.false(readFileSync(snapshot).includes('the pump'), 'the snapshot contains no conversation')
  for (const keep of [true, false]) {
    if (!keep) rmSync(snapshot)
    const again = await startDaemon(t, { workspace: daemon.paths.root })
    t.deepEqual(await keys(again, {}), ['a'])
    await again.stop()
  }
})

async function keys({ call }: TestDaemon, fields: object): Promise<string[]> {
  const { body } = await call(path, { body: { query: 'pump', ...fields } })
  return body.hits.map(({ sessionKey }) => sessionKey).sort()
}
