// runs: in turn

import test from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'

test('a person rates a memory: all recalls follow, and explain shows it', async t => {
  const { recall, remember, call } = await daemonHere(t)
  const ids = [
    await remember('alpha cluster runs the nightly backup'),
    await remember('beta cluster runs the nightly backup'),
  ]
  const query = 'nightly backup cluster'
  const [first = '', second = ''] = await recall(query)
  t.deepEqual([first, second].sort(), [...ids].sort())
  t.is((await runHere(t, ['rate', second, 'up'])).code, 0)
  t.deepEqual(await recall(query), [second, first])
  const { body } = await call('POST /api/memory/recall', { body: { query, explain: true } })
  t.deepEqual(
    body.results[0]?.explain?.contributions.find(({ step }) => step === 'judgement'),
    { step: 'judgement', effect: 'multiply', value: 1.1 },
  )
  t.regex((await runHere(t, ['recall', query, '--explain', '-v'])).stdout, /x 1\.100 +your rating/u)
  const wrong = await runHere(t, ['rate', second, 'wrong'])
  t.regex(wrong.stderr, /memory edit .* --text .*\n.*memory forget /u)
  t.deepEqual(await recall(query), [first])
  await runHere(t, ['rate', second, 'none'])
  t.deepEqual((await recall(query)).sort(), [...ids].sort())
})

test('a rating is refused for a memory that does not exist', async t => {
  const { call } = await daemonHere(t)
  const params = { id: 'nowhere' }
  const { status } = await call('POST /api/memory/:id/judgement', { params, body: { judgement: 'up' } })
  t.is(status, 404)
})

test('edit --text saves a new version with the fields of the old one, which it supersedes', async t => {
  const { call, remember } = await daemonHere(t)
  const id = await remember('we deploy on Tuesdays', { type: 'rule', tags: 'ops', importance: 0.9 })
  const edit = ['edit', id, '--text', 'We deploy on Mondays', '--reason', 'moved', '--json']
  const made = (await runHere(t, edit)).json().id
  const of = async (one: string) => (await call('GET /api/memory/:id', { params: { id: one } })).body
  t.like(await of(made), { content: 'We deploy on Mondays', type: 'rule', tags: 'ops', importance: 0.9 })
  t.is((await of(id)).superseded_by, made)
})

test('edit --type saves the same text as a new version, and --project moves the memory in place', async t => {
  const { call, remember } = await daemonHere(t)
  const id = await remember('we deploy on Tuesdays', { tags: 'ops', project: '/shop' })
  const get = async (one: string) => (await call('GET /api/memory/:id', { params: { id: one } })).body
  const edit = async (one: string, ...flags: string[]) =>
    (await runHere(t, ['edit', one, ...flags, '--reason', 'put right', '--json'])).json()
  const { id: retyped } = await edit(id, '--type', 'rule')
  t.like(await get(retyped), {
    type: 'rule',
    content: 'we deploy on Tuesdays',
    tags: 'ops',
    project: '/shop',
  })
  t.is((await get(id)).superseded_by, retyped)
  t.is((await edit(retyped, '--type', 'rule')).id, retyped, 'the type is the same')
  const { id: back } = await edit(retyped, '--type', 'fact')
  t.is((await get(back)).type, 'fact')
  t.like(await edit(back, '--project', '/stall'), { id: back, status: 'updated' })
  t.like(await get(back), { project: '/stall', content: 'we deploy on Tuesdays' })
  t.deepEqual((await call('GET /api/memories', { query: { project: '/stall' } })).body.matching, 1)
  const { body } = await call('GET /api/memory/:id/history', { params: { id: back } })
  t.true(JSON.stringify(body).includes('/stall'))
})
