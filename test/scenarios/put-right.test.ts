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
  t.regex((await runHere(t, ['recall', query, '--explain'])).stdout, /x 1\.100 +your rating/u)
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
