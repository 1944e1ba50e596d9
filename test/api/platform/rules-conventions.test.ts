import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('ids are UUIDs of version 7 in the order of saving (rules.md#conventions)', async t => {
  const { remember } = await startDaemon(t)
  const ids: string[] = []
  for (let n = 0; n < 20; n++) ids.push(await remember(`number ${n}`))
  for (const id of ids) t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.deepEqual(ids, [...ids].sort())
})

test('unknown fields are ignored (rules.md#conventions)', async t => {
  const { call } = await startDaemon(t)
  const saved = await call('POST /api/memory/remember', {
    body: { content: 'plain', colour: 'blue', id: 'mine', version: 7 } as never,
  })
  t.is(saved.status, 200)
  t.not(saved.body.id, 'mine')
  const params = { id: saved.body.id }
  const read = await call('GET /api/memory/:id', { params, query: { colour: 'blue' } })
  t.is(read.body.version, 1)
  const changed = await call('PATCH /api/memory/:id', {
    params,
    body: { reason: 'r', pinned: true, agent_id: 'thief' } as never,
  })
  t.is(changed.body.status, 'updated')
  t.is((await call('GET /api/memory/:id', { params })).body.agent_id, 'default')
})

test('agentId and agent_id both name the agent, in bodies and queries (rules.md#conventions)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const ids = [
    await remember('the camel humps', { agentId: 'a', visibility: 'private' }),
    await remember('the snake hisses', { agent_id: 'a', visibility: 'private' }),
  ]
  for (const named of [{ agentId: 'a' }, { agent_id: 'a' }]) {
    t.deepEqual((await recall('camel snake', { ...named, score_min: 0 })).sort(), [...ids].sort())
    t.is((await call('GET /api/memories', { query: named })).body.stats.total, 2)
    const { body } = await call('POST /api/memory/forget', { body: { mode: 'preview', ids, ...named } })
    t.like(body, { count: 2 })
  }
})

test('a validation error lists each problem by path and message (rules.md#conventions)', async t => {
  const { call } = await startDaemon(t)
  const { status, headers, body } = await call('POST /api/memory/remember', {
    body: { content: '', importance: 2, structured: { hints: ['ok', ' '] } },
  })
  t.is(status, 400)
  t.truthy(headers.get('x-request-id'))
  t.is(body.code, 'validation_failed')
  t.regex(String(body.error), /\w/)
  t.deepEqual(body.details, [
    { path: 'content', message: 'must not be empty' },
    { path: 'importance', message: 'must be at most 1, not 2' },
    { path: 'structured.hints.1', message: 'must not be empty' },
  ])
  const wrongHeader = await call('POST /api/hooks/session-start', {
    body: { harness: 'codex', sessionKey: 's' },
    headers: { 'x-service-runtime-path': 'plug' },
  })
  t.is(wrongHeader.status, 400)
  t.is(wrongHeader.body.error, 'x-service-runtime-path: must be one of plugin, legacy')
  const nested = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`)
  const deep = await call('POST /api/memory/remember', { body: { content: 'x', structured: nested } })
  t.is(deep.body.error, 'the body is nested more than 100 levels deep')
})
