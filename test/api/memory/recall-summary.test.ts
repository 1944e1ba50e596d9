import test, { type ExecutionContext } from 'ava'
import { weights } from '../../../src/daemon/memory/recall/ranking/weights.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { startTeam } from '../../helpers/team.js'

async function startWithDecisions(t: ExecutionContext, options?: Parameters<typeof startDaemon>[1]) {
  const daemon = await startDaemon(t, options)
  const ids = [
    await daemon.remember('Billing runs on PostgreSQL 16.', { createdAt: '2026-01-05' }),
    await daemon.remember('Billing exports run at night. The cat sleeps.', { createdAt: '2026-01-03' }),
    await daemon.remember('Billing invoices go out on the 5th!', { createdAt: '2026-01-04' }),
  ]
  const ask = async (fields: Partial<Parameters<typeof daemon.recall>[1]> = {}) =>
    (await daemon.call('POST /api/memory/recall', { body: { query: 'billing', aggregate: true, ...fields } }))
      .body
  const total = async () => (await daemon.call('GET /api/memories')).body.stats.total
  return { ...daemon, ids, ask, total }
}

test('aggregate adds a summary of the results as the last, supplementary row (recall.md 4.9 and 1.3.10)', async t => {
  const { ids, ask, total } = await startWithDecisions(t)
  const { results, count, meta, message } = await ask()
  t.is(count, 4)
  t.true(meta.hasSupplementary)
  const summary = results.at(-1)!
  t.like(summary, { supplementary: true, source: 'aggregate', source_type: 'recall-aggregate' })
  t.deepEqual(summary.content.split('\n').slice(1), [
    '2026-01-03: Billing exports run at night. The cat sleeps.',
    '2026-01-04: Billing invoices go out on the 5th!',
    '2026-01-05: Billing runs on PostgreSQL 16.',
  ])
  t.deepEqual(meta.aggregate, {
    budget: 'small',
    characters: summary.content.length,
    memories: [ids[1], ids[2], ids[0]],
  } as never)
  t.true(message.includes(summary.content))
  t.is(await total(), 3)
})

test('the same rows and query give the same summary (recall.md 4.9)', async t => {
  const { ask } = await startWithDecisions(t)
  const [first, second] = [await ask(), await ask()]
  t.is(first.results.at(-1)?.content, second.results.at(-1)?.content)
  t.is(first.results.at(-1)?.id, second.results.at(-1)?.id)
})

test('the summary takes the last position within limit (recall.md 1.3.10)', async t => {
  const { ask } = await startWithDecisions(t)
  const { results } = await ask({ limit: 2 })
  t.deepEqual(
    results.map(({ supplementary }) => supplementary ?? false),
    [false, true],
  )
})

for (const budget of ['small', 'medium', 'large'] as const)
  test(`a ${budget} summary stays within its budget and uses it (recall.md 4.9)`, async t => {
    const { remember, ask } = await startWithDecisions(t)
    for (let n = 0; n < 60; n++)
      await remember(`Billing note ${n}: ${Array.from({ length: 25 }, (_, k) => `w${n}x${k}`).join(' ')} 🧾.`)
    const { meta, results } = await ask({ aggregateBudget: budget, score_min: 0 })
    const characters = results.at(-1)!.content.length
    t.is(meta.aggregate?.characters, characters)
    t.true(
      characters <= weights.summary.characters[budget] && characters > weights.summary.characters[budget] / 2,
    )
  })

test('a summary contains only current statements, each once (recall.md 1.3.9)', async t => {
  const { remember, ask, ids } = await startWithDecisions(t)
  await remember('Billing runs on CockroachDB.', { supersedes: ids[0] })
  await remember('As said before: billing invoices go out on the 5th')
  const text = (await ask({ aggregateBudget: 'large' })).results.at(-1)!.content
  t.false(text.includes('PostgreSQL'))
  t.regex(text, /CockroachDB/)
  t.is(text.match(/invoices/g)?.length, 1)
})

test('no rows means no summary (recall.md 4.9)', async t => {
  const { ask, total } = await startWithDecisions(t)
  const { results, meta } = await ask({ query: 'kubernetes', saveAggregate: true })
  t.deepEqual(results, [])
  t.false('aggregate' in meta)
  t.is(await total(), 3)
})

test('saveAggregate saves the summary once, with its provenance (recall.md 4.9)', async t => {
  const { call, ask, ids, total } = await startWithDecisions(t)
  const { meta, results } = await ask({ saveAggregate: true })
  const id = meta.aggregate?.savedAs
  t.is(results.at(-1)?.id, id)
  const { body } = await call('GET /api/memory/:id', { params: { id: id! } })
  t.like(body, { source_type: 'recall-aggregate', type: 'semantic', visibility: 'global' })
  t.deepEqual(body.structured, {
    aggregate: { query: 'billing', budget: 'small', memories: [ids[1], ids[2], ids[0]] },
  })
  t.is((await ask({ saveAggregate: true })).meta.aggregate?.savedAs, id)
  t.is(await total(), 4)
})

test('saving a summary needs the permission remember, creating one does not (recall.md 4.9)', async t => {
  const { call, token, admin } = await startTeam(t)
  await call('POST /api/memory/remember', { body: { content: 'billing runs at night' }, headers: admin })
  const recall = (role: 'readonly' | 'agent', saveAggregate: boolean) =>
    call('POST /api/memory/recall', {
      body: { query: 'billing night', aggregate: true, saveAggregate },
      headers: token({ role }),
    })
  t.is((await recall('readonly', false)).body.count, 2)
  const refused = await recall('readonly', true)
  t.is(refused.status, 403)
  t.is(refused.body.code, 'forbidden')
  t.truthy((await recall('agent', true)).body.meta.aggregate?.savedAs)
})

test('saveAggregate without aggregate saves nothing (recall.md 4.9)', async t => {
  const { ask, total } = await startWithDecisions(t)
  await ask({ aggregate: false, saveAggregate: true })
  t.is(await total(), 3)
})

test('while mutations are frozen a summary is created but not saved (rules.md#kill-switch)', async t => {
  const first = await startWithDecisions(t)
  await first.stop()
  const { call } = await startDaemon(t, {
    workspace: first.paths.root,
    settings: { memory: { pipelineV2: { mutationsFrozen: true } } },
  })
  const recall = (fields: object) =>
    call('POST /api/memory/recall', { body: { query: 'billing', aggregate: true, ...fields } })
  t.is((await recall({})).body.count, 4)
  const refused = await recall({ saveAggregate: true })
  t.is(refused.status, 503)
  t.is(refused.body.code, 'mutations_frozen')
})

test('a saved summary is not a source of the next one, and stays supplementary (recall.md 1.3.10)', async t => {
  const { call, ask, ids, remember } = await startWithDecisions(t)
  const { meta } = await ask({ saveAggregate: true })
  const saved = meta.aggregate!.savedAs!
  const plain = await ask({ aggregate: false })
  t.deepEqual(
    plain.results.map(row => [row.id === saved, row.supplementary ?? false]),
    [
      [false, false],
      [false, false],
      [false, false],
      [true, true],
    ],
  )
  const accessed = async (id: string) =>
    (await call('GET /api/memory/:id', { params: { id } })).body.access_count
  await until(async () => (await accessed(ids[0] as string)) >= 2 || undefined)
  t.is(await accessed(saved), 0)
  const newer = await remember('Billing alerts page Dana.', { createdAt: '2026-01-06' })
  t.deepEqual((await ask()).meta.aggregate?.memories, [ids[1], ids[2], ids[0], newer] as string[])
})

test('a saved summary is not recalled once one of its sources is forgotten or replaced (rules.md 3.1)', async t => {
  const { call, ask, ids, remember } = await startWithDecisions(t)
  const saved = (await ask({ saveAggregate: true })).meta.aggregate!.savedAs!
  const shows = async () => (await ask({ aggregate: false })).results.some(({ id }) => id === saved)
  t.true(await shows())
  const change = { params: { id: ids[1]! } }
  await call('DELETE /api/memory/:id', { ...change, query: { reason: 'private' } })
  t.false(await shows())
  await call('POST /api/memory/:id/recover', { ...change, body: { reason: 'back' } })
  const again = (await ask({ saveAggregate: true })).meta.aggregate!.savedAs!
  t.true((await ask({ aggregate: false })).results.some(({ id }) => id === again))
  await remember('Billing runs on CockroachDB.', { supersedes: ids[0] })
  t.false((await ask({ aggregate: false })).results.some(({ id }) => id === again))
})

test('a summary of a private memory is private (recall.md 4.9)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the salary list is in the safe', { agentId: 'ann', visibility: 'private' })
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'salary list', agentId: 'ann', aggregate: true, saveAggregate: true },
  })
  const saved = { params: { id: body.meta.aggregate!.savedAs! } }
  t.is((await call('GET /api/memory/:id', saved)).status, 404)
  const own = await call('GET /api/memory/:id', { ...saved, query: { agentId: 'ann' } })
  t.like(own.body, { agent_id: 'ann', visibility: 'private' })
})

test('forgetting a source also forgets its saved summary, whoever can see it (rules.md 3.1)', async t => {
  const { call, ask, ids, total } = await startWithDecisions(t)
  const saved = (await ask({ saveAggregate: true })).meta.aggregate!.savedAs!
  const own = await ask({
    saveAggregate: true,
    agentId: 'ann',
    query: 'billing invoices',
    readPolicy: 'shared',
  })
  t.truthy(own.meta.aggregate?.savedAs)
  await call('DELETE /api/memory/:id', { params: { id: ids[2]! }, query: { reason: 'private' } })
  const get = await call('GET /api/memory/:id', { params: { id: saved } })
  t.is(get.status, 404)
  t.is(await total(), 2)
  const found = await call('GET /api/memory/search', { query: { q: 'invoices' } })
  t.deepEqual(found.body.results, [])
  const { history } = (await call('GET /api/memory/:id/history', { params: { id: saved } })).body
  t.like(history.at(-1), { event: 'deleted', reason: 'a source was forgotten', newContent: null })
})
