import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

async function startWithTwo(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  const ids = [
    await daemon.remember('alpha cluster runs the nightly backup'),
    await daemon.remember('beta cluster runs the nightly backup'),
  ] as [string, string]
  const recalled = async (sessionKey: string, fields: Parameters<typeof daemon.recall>[1] = {}) =>
    (
      await daemon.call('POST /api/memory/recall', {
        body: {
          query: 'nightly backup cluster',
          sessionKey,
          includeRecalled: true,
          explain: true,
          ...fields,
        },
      })
    ).body.results
  const rate = async (session_key: string, ratings: Record<string, number>, agentId?: string) =>
    (await daemon.call('POST /api/memory/feedback', { body: { session_key, ratings, agentId } })).body
  return { ...daemon, ids, recalled, rate }
}

test('feedback returns counts of recorded, accepted, rejected and propagated ratings (recall.md 4.9)', async t => {
  const { ids, recalled, rate } = await startWithTwo(t)
  await recalled('s1')
  t.deepEqual(await rate('s1', { [ids[0]]: 1, [ids[1]]: -0.5, nowhere: 1 }), {
    ok: true,
    recorded: 3,
    accepted: 2,
    rejected: 1,
    propagated: 0,
  })
  t.like(await rate('s1', {}), { recorded: 0, accepted: 0, rejected: 0 })
})

test('feedback is accepted only for memories shown to that session and agent (recall.md 4.9)', async t => {
  const { ids, recalled, rate } = await startWithTwo(t)
  const [shown] = await recalled('s1', { limit: 1 })
  const other = ids.find(id => id !== shown!.id)!
  t.like(await rate('s1', { [shown!.id]: 1, [other]: 1 }), { accepted: 1, rejected: 1 })
  t.like(await rate('s2', { [shown!.id]: 1 }), { accepted: 0, rejected: 1 })
  t.like(await rate('s1', { [shown!.id]: 1 }, 'another agent'), { accepted: 0, rejected: 1 })
})

test('feedback on a memory that was forgotten in the meantime is rejected (recall.md 4.9)', async t => {
  const { call, ids, recalled, rate } = await startWithTwo(t)
  await recalled('s1')
  await call('DELETE /api/memory/:id', { params: { id: ids[0] }, query: { reason: 'old' } })
  t.like(await rate('s1', { [ids[0]]: 1, [ids[1]]: 1 }), { accepted: 1, rejected: 1 })
})

test('ratings change the session’s ranking at once, within bounds, and explain shows it (recall.md 4.9)', async t => {
  const { recalled, rate } = await startWithTwo(t)
  const before = await recalled('s1')
  const [first, second] = before.map(({ id }) => id) as [string, string]
  await rate('s1', { [first]: -1, [second]: 1 })
  const after = await recalled('s1')
  t.deepEqual(
    after.map(({ id }) => id),
    [second, first],
  )
  const factors = after.map(row => row.explain!.contributions.find(({ step }) => step === 'feedback'))
  t.deepEqual(factors, [
    { step: 'feedback', effect: 'multiply', value: 1.5 },
    { step: 'feedback', effect: 'multiply', value: 0.5 },
  ])
  const other = await recalled('s2')
  t.deepEqual(
    other.map(({ id, score }) => [id, score]),
    before.map(({ id, score }) => [id, score]),
  )
})

test('a neutral rating cancels an earlier one (recall.md 4.9)', async t => {
  const { ids, recalled, rate } = await startWithTwo(t)
  const before = await recalled('s1')
  await rate('s1', { [ids[0]]: -1 })
  await rate('s1', { [ids[0]]: 0 })
  const after = await recalled('s1')
  t.deepEqual(
    after.map(({ id, score }) => [id, score]),
    before.map(({ id, score }) => [id, score]),
  )
})

for (const [what, body] of [
  ['a rating above 1', { session_key: 's1', ratings: { a: 1.1 } }],
  ['a rating below -1', { session_key: 's1', ratings: { a: -2 } }],
  ['a non-numeric rating', { session_key: 's1', ratings: { a: 'good' } }],
  ['no session', { ratings: { a: 1 } }],
  ['no ratings', { session_key: 's1' }],
  ['a list of ratings', { session_key: 's1', ratings: [1] }],
] as const)
  test(`feedback with ${what} is refused (recall.md 4.9 and rules.md 7)`, async t => {
    const { call } = await startDaemon(t)
    const reply = await call('POST /api/memory/feedback', { body: body as never })
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
  })

test('feedback is 503 while mutations are frozen (rules.md#kill-switch)', async t => {
  const { call } = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  const reply = await call('POST /api/memory/feedback', { body: { session_key: 's', ratings: { a: 1 } } })
  t.is(reply.status, 503)
  t.is(reply.body.code, 'mutations_frozen')
})
