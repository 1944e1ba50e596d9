import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { factsOf, runDreamPass } from '../../helpers/dreaming.js'
import { applied, operation } from '../../helpers/ontology.js'

const main = ['facts default branch = main']
const develop = ['facts default branch = develop']

/** A project with a value of March that a memory of May replaced. */
async function withReplaced(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  const say = (content: string, occurredAt: string, more: object = {}) =>
    daemon.remember(content, { project: 'shop', occurredAt, ...more })
  const older = await say('The default branch is main', '2026-03-01T08:00:00Z')
  const newer = await say('The default branch is develop', '2026-05-01T08:00:00Z')
  await runDreamPass(daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), develop)
  return {
    daemon,
    say,
    older,
    newer,
    facts: () => factsOf(daemon, 'shop'),
    forget: (id: string) =>
      daemon.call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'was wrong' } }),
    recover: (id: string) =>
      daemon.call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'was right' } }),
    versions: async () => {
      const slot = { entity: 'shop', aspect: 'facts', group: 'general', claim: 'default branch' }
      const { body } = await daemon.call('GET /api/ontology/claims/explain', { query: slot })
      return body.versions.map(({ value, status }) => `${value ?? '-'} ${status}`).sort()
    },
  }
}

test('a value is current again when the memory that replaced it is forgotten (knowledge.md#forgetting)', async t => {
  const { daemon, newer, facts, forget, recover, versions } = await withReplaced(t)
  await forget(newer)
  t.deepEqual(await facts(), main)
  t.deepEqual(await versions(), ['- unsupported', 'main current'])
  const { body: about } = await daemon.call('GET /api/ontology/entities/:id/about', {
    params: { id: 'shop' },
  })
  const [fact] = about.groups.flatMap(group => group.facts)
  t.like(fact, { text: 'default branch: main', until: null, former: [] })
  await runDreamPass(daemon)
  t.deepEqual(await facts(), main)
  await recover(newer)
  t.deepEqual(await facts(), develop)
  t.deepEqual(await versions(), ['develop current', 'main superseded'])
  await forget(newer)
  t.deepEqual(await facts(), main)
})

test('a value that is current again has its record in the timeline (knowledge.md#forgetting)', async t => {
  const { daemon, newer, forget, recover } = await withReplaced(t)
  await forget(newer)
  await recover(newer)
  const { body } = await daemon.call('GET /api/timeline/:id', { params: { id: newer }, query: {} })
  const titles = body.events.map(({ title }) => title).filter(title => title.includes('_claim applied'))
  t.deepEqual(titles.sort(), [
    'restore_claim applied',
    'restore_claim applied',
    'supersede_claim applied',
    'withdraw_claim applied',
    'withdraw_claim applied',
  ])
})

test('a whole history comes back step by step, in any order (knowledge.md#forgetting)', async t => {
  const { say, daemon, newer, facts, forget, recover } = await withReplaced(t)
  const newest = await say('The default branch is trunk', '2026-07-01T08:00:00Z')
  await runDreamPass(daemon)
  await forget(newer)
  t.deepEqual(await facts(), ['facts default branch = trunk'])
  await forget(newest)
  t.deepEqual(await facts(), main)
  await recover(newer)
  t.deepEqual(await facts(), develop)
  await forget(newer)
  await recover(newest)
  t.deepEqual(await facts(), ['facts default branch = trunk'])
})

test('a value that nobody says any more does not come back (knowledge.md#forgetting)', async t => {
  const { older, newer, facts, forget, recover } = await withReplaced(t)
  await forget(older)
  await forget(newer)
  t.deepEqual(await facts(), [])
  await recover(older)
  t.deepEqual(await facts(), main)
})

test('another memory that says the newer value keeps it (knowledge.md#forgetting)', async t => {
  const { daemon, say, newer, facts, forget } = await withReplaced(t)
  await say('Our default branch is develop', '2026-05-02T08:00:00Z')
  await runDreamPass(daemon)
  await forget(newer)
  t.deepEqual(await facts(), develop)
})

test('a correction that does not say the newer value gives the earlier one back (knowledge.md#forgetting)', async t => {
  const { daemon, say, newer, facts } = await withReplaced(t)
  const correction = { supersedes: newer, reason: 'it was another repository' }
  await say('The wiki names another branch than we do', '2026-05-01T08:00:00Z', correction)
  await runDreamPass(daemon)
  t.deepEqual(await facts(), main)
})

test('a correction of the same day replaces the value, and nobody is asked (knowledge.md#forgetting)', async t => {
  const { daemon, say, newer, facts, forget } = await withReplaced(t)
  const id = await say('The default branch is trunk', '2026-05-01T08:00:00Z', { supersedes: newer })
  t.deepEqual(await facts(), develop, 'until the correction was read')
  await runDreamPass(daemon)
  t.deepEqual(await facts(), ['facts default branch = trunk'])
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0)
  await forget(id)
  t.deepEqual(await facts(), develop, 'the corrected memory counts again')
})

test('a value of later replaces one that is current again, and a recovered memory does not change it (knowledge.md#forgetting)', async t => {
  const { daemon, say, newer, facts, forget, recover } = await withReplaced(t)
  await forget(newer)
  const id = await say('The default branch is trunk', '2026-07-01T08:00:00Z')
  await runDreamPass(daemon)
  t.deepEqual(await facts(), ['facts default branch = trunk'])
  await recover(newer)
  t.deepEqual(await facts(), ['facts default branch = trunk'])
  await forget(id)
  t.deepEqual(await facts(), develop)
})

test('a value without any source contradicts no new one (knowledge.md#contradictions)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The default branch is main', { project: 'shop' })
  await runDreamPass(daemon)
  await daemon.call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'was wrong' } })
  await daemon.remember('The default branch is develop', { project: 'shop' })
  await runDreamPass(daemon)
  t.deepEqual(await factsOf(daemon, 'shop'), develop)
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0)
})

test('an owner who was taken over is owner again (knowledge.md#forgetting)', async t => {
  const daemon = await startDaemon(t)
  const say = (content: string, occurredAt: string) =>
    daemon.remember(content, { project: 'shop', occurredAt })
  await say('Ana Petrova owns the gateway service', '2026-03-02T10:00:00Z')
  const id = await say('Oleg Braun owns the gateway service', '2026-05-04T10:00:00Z')
  await runDreamPass(daemon)
  await daemon.call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'was wrong' } })
  const { body } = await daemon.call('GET /api/ontology/entities/:id/about', {
    params: { id: 'gateway service' },
  })
  const texts = body.groups.flatMap(group => group.facts.map(({ text }) => text))
  t.deepEqual(texts, ['owner: Ana Petrova', 'Ana Petrova owns it'])
})

test('a planned value that is forgotten leaves the present one its time (knowledge.md#forgetting)', async t => {
  const daemon = await startDaemon(t)
  const now = await daemon.remember('The port is 6230', { project: 'shop' })
  const planned = await daemon.remember('The port will be 7421', { project: 'shop' })
  const slot = { entity: 'shop', entityType: 'project', aspect: 'facts', claim: 'port' }
  const first = { ...slot, value: '6230', validUntil: '2095-01-01T00:00:00Z' }
  const version = await applied(t, daemon, operation('assert_claim', first, { [now]: 'The port is 6230' }))
  const next = { version, value: '7421', validFrom: '2090-01-01T00:00:00Z' }
  await applied(t, daemon, operation('supersede_claim', next, { [planned]: '7421' }))
  const about = async () =>
    (await daemon.call('GET /api/ontology/entities/:id/about', { params: { id: 'shop' } })).body.groups
      .flatMap(group => group.facts)
      .map(({ text: fact, until }) => `${fact} until ${until?.slice(0, 4) ?? '-'}`)
  t.deepEqual((await about()).sort(), ['port: 6230 until 2090', 'port: 7421 until -'])
  await daemon.call('DELETE /api/memory/:id', { params: { id: planned }, query: { reason: 'not planned' } })
  t.deepEqual(await about(), ['port: 6230 until 2095'])
  await daemon.call('POST /api/memory/:id/recover', { params: { id: planned }, body: { reason: 'planned' } })
  t.deepEqual((await about()).sort(), ['port: 6230 until 2090', 'port: 7421 until -'])
})
