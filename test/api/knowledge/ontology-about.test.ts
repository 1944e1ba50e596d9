import test from 'ava'
import { aboutLines, aboutText } from '../../../src/cli/knowledge/ontology/about-text.js'
import { colorsFor } from '../../../src/cli/terminal/output.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { runDreamPass } from '../../helpers/dreaming.js'
import { submitPrompt } from '../../helpers/hooks.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { operation, perform } from '../../helpers/ontology.js'

/** Stores an entity with rules, facts, a link and a value that changed. */
async function storeScheduler(daemon: TestDaemon) {
  const said =
    'The scheduler: Ann Keller owns it. Port 6230. It depends on Postgres. Never restart it on a Monday.'
  const memory = await daemon.remember(said)
  const changed = await daemon.remember('The scheduler listens on port 7421 since 3 March 2026')
  const entity = { entity: 'scheduler', entityType: 'component' }
  const from = { [memory]: said }
  const results = await perform(daemon, [
    operation('create_entity', { name: 'scheduler', type: 'component', aliases: ['sched'] }, from),
    operation('assert_claim', { ...entity, aspect: 'people', claim: 'owner', value: 'Ann Keller' }, from),
    operation('assert_claim', { ...entity, aspect: 'network', claim: 'port', value: '6230' }, from),
    operation(
      'assert_claim',
      {
        ...entity,
        aspect: 'rules',
        claim: 'restart',
        kind: 'constraint',
        value: 'Never restart on a Monday',
      },
      from,
    ),
    operation(
      'link',
      { from: 'scheduler', relation: 'depends on', to: 'Postgres', toType: 'tool' },
      { [memory]: 'It depends on Postgres' },
    ),
  ])
  await perform(daemon, [
    operation(
      'supersede_claim',
      { version: results[2]?.id ?? '', value: '7421', validFrom: '2026-03-03T00:00:00.000Z' },
      { [changed]: 'port 7421 since 3 March 2026' },
    ),
  ])
  return { memory, changed }
}

const about = (
  { call }: Pick<TestDaemon, 'call'>,
  id: string,
  query: { limit?: number; aspect?: string } = {},
) => call('GET /api/ontology/entities/:id/about', { params: { id }, query })

test('an entity is described by aspect, with sources and since when', async t => {
  const daemon = await startDaemon(t)
  const { memory, changed } = await storeScheduler(daemon)
  const { status, body } = await about(daemon, 'Sched')
  t.is(status, 200)
  t.like(body, { entity: { name: 'scheduler', aliases: ['sched'] }, total: 4, truncated: false })
  const texts = body.groups.map(({ aspect, facts }) => [aspect, ...facts.map(({ text }) => text)])
  t.deepEqual(texts.slice(0, 2), [
    ['rules', 'Never restart on a Monday'],
    ['people', 'owner: Ann Keller'],
  ])
  const port = body.groups.find(({ aspect }) => aspect === 'network')?.facts[0]
  t.like(port, { text: 'port: 7421', since: '2026-03-03T00:00:00.000Z', status: 'current' })
  t.deepEqual(port?.former, [{ value: '6230', until: '2026-03-03T00:00:00.000Z' }])
  t.deepEqual(port?.sources, [{ kind: 'memory', id: changed, quote: 'port 7421 since 3 March 2026' }])
  const link = body.groups.find(({ aspect }) => aspect === 'relations')?.facts[0]
  t.like(link, { text: 'depends on Postgres', kind: 'relation' })
  t.true(body.mentions.some(({ id }) => id === memory))
})

test('every aspect keeps a share of the limit of a description', async t => {
  const daemon = await startDaemon(t)
  const said = 'the shop has many rules and one owner'
  const memory = await daemon.remember(said)
  const rules = Array.from({ length: 12 }, (_, n) =>
    operation(
      'assert_claim',
      { entity: 'shop', entityType: 'project', aspect: 'rules', claim: `rule ${n}`, value: `value ${n}` },
      { [memory]: said },
    ),
  )
  const owner = { entity: 'shop', entityType: 'project', aspect: 'zoo', claim: 'owner', value: 'Ann' }
  await perform(daemon, [...rules, operation('assert_claim', owner, { [memory]: said })])
  const { body } = await about(daemon, 'shop', { limit: 4 })
  const counts = body.groups.map(({ aspect, facts, more }) => [aspect, facts.length, more])
  t.deepEqual(counts, [
    ['rules', 3, 9],
    ['zoo', 1, 0],
  ])
  const only = (await about(daemon, 'shop', { aspect: 'Rules' })).body
  t.is(only.total, 12)
})

test('an unknown name is answered with similar ones', async t => {
  const daemon = await startDaemon(t)
  await storeScheduler(daemon)
  const { status, body } = await about(daemon, 'shceduler')
  t.is(status, 404)
  t.like(body as object, { code: 'not_found', similar: ['scheduler'] })
  t.like((await about(daemon, 'zzzz')).body as object, { similar: [] })
})

test('a description hides facts whose sources were forgotten', async t => {
  const daemon = await startDaemon(t)
  const { memory, changed } = await storeScheduler(daemon)
  await daemon.call('DELETE /api/memory/:id', { params: { id: memory }, body: { reason: 'a test' } })
  const { body } = await about(daemon, 'scheduler')
  t.deepEqual(
    body.groups.flatMap(({ facts }) => facts.map(({ text }) => text)),
    ['port: 7421'],
  )
  t.deepEqual(body.groups[0]?.facts[0]?.former, [])
  t.deepEqual(
    body.mentions.map(({ id }) => id),
    [changed],
  )
})

test('a value from a session’s summary is hidden once the memory of that summary is forgotten (knowledge.md#forgetting)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  const summary = 'The harbour crane squeaks.'
  const body = { harness: 'codex', sessionKey: 's', summary }
  const { memoryId } = (await call('POST /api/hooks/compaction-complete', { body })).body
  const { summaries } = (await call('GET /api/sessions/summaries', { query: { kind: 'compaction' } })).body
  const payload = { entity: 'crane', entityType: 'thing', aspect: 'state', claim: 'sound', value: 'squeaks' }
  const evidence = [{ sourceKind: 'summary' as const, sourceId: summaries[0]!.id, quote: 'crane squeaks' }]
  const [made] = await perform(daemon, [{ ...operation('assert_claim', payload), evidence }])
  t.is(made?.status, 'applied')
  t.is((await about(daemon, 'crane')).status, 200)
  await call('DELETE /api/memory/:id', { params: { id: memoryId! }, query: { reason: 'old' } })
  t.is((await about(daemon, 'crane')).status, 404)
  await call('POST /api/memory/:id/recover', { params: { id: memoryId! }, body: { reason: 'needed' } })
  t.is((await about(daemon, 'crane')).status, 200)
})

test('memory_about tells an agent the facts with their sources, and similar names of an unknown one (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const { changed } = await storeScheduler(daemon)
  const client = await connectHttp(t, daemon.url)
  const found = await callTool(client, 'memory_about', { name: 'scheduler' })
  t.like(found, { isError: false, data: { total: 4 } })
  t.regex(found.text, /^scheduler \(component\), also sched\nrules:\n- Never restart on a Monday \(since /)
  t.true(found.text.includes(`- port: 7421 (since 2026-03-03, memory ${changed})`))
  const unknown = await callTool(client, 'memory_about', { name: 'schedulr' })
  t.like(unknown, { isError: true })
  t.regex(unknown.text, /did you mean scheduler\?/)
})

test('facts of several projects are each told with theirs, and with its own history (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const say = (content: string, project: string, day: string) =>
    daemon.remember(content, { project, occurredAt: `${day}T08:00:00Z` })
  await say('The gateway service listens on port 6230', 'shop', '2026-03-01')
  await say('The gateway service listens on port 6231', 'shop', '2026-05-01')
  await say('The gateway service depends on Redis', 'shop', '2026-05-01')
  await runDreamPass(daemon)
  const client = await connectHttp(t, daemon.url)
  const ask = async () => (await callTool(client, 'memory_about', { name: 'gateway service' })).text
  t.notRegex(await ask(), /in shop/u, 'one project is not named')
  await say('The gateway service listens on port 7421', 'bank', '2026-05-01')
  await say('The gateway service depends on Kafka', 'bank', '2026-05-01')
  await runDreamPass(daemon)
  const { body } = await about(daemon, 'gateway service')
  t.deepEqual(body.projects.map(({ name }) => name).sort(), ['bank', 'shop'])
  const facts = body.groups.flatMap(group => group.facts)
  const told = facts.map(({ text, project, former }) => [project, text, ...former.map(({ value }) => value)])
  t.deepEqual(told.map(one => one.join(' ')).sort(), [
    'bank depends on Kafka',
    'bank port: 7421',
    'shop depends on Redis',
    'shop port: 6231 6230',
  ])
  const text = await ask()
  t.regex(text, /port: 7421 \(in bank, since /u)
  t.regex(text, /depends on Redis \(in shop, since /u)
  const lines = aboutText(body, { colors: colorsFor({}), width: 100 }).split('\n')
  t.true(lines.length <= aboutLines)
  t.true(lines.some(line => /port: 6231 \(was 6230\) +in shop {2}since/u.test(line)))
  t.true(lines.some(line => /depends on Kafka +in bank {2}since/u.test(line)))
})

test('the description of an entity has the decisions of a project that name it', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We decided to use Stripe for payments', { project: 'shop' })
  await daemon.remember('We decided to use Grafana for dashboards', { project: 'shop' })
  await runDreamPass(daemon)
  const { body } = await about(daemon, 'Stripe')
  const told = Object.fromEntries(
    body.groups.map(({ aspect, facts }) => [aspect, facts.map(({ text }) => text)]),
  )
  t.deepEqual(told.decisions, ['We decided to use Stripe for payments'])
  t.deepEqual(told.relations, ['shop uses it'])
})

test('until a planned value begins, the one before it holds (knowledge.md#contradictions)', async t => {
  const daemon = await startDaemon(t)
  const year = new Date().getUTCFullYear() + 1
  await daemon.remember('Ann owns the invoice service')
  await daemon.remember(`Bob takes over the invoice service from Ann on 1 April ${year}`)
  await runDreamPass(daemon)
  const { body } = await about(daemon, 'invoice service', { aspect: 'people' })
  const facts = body.groups[0]?.facts ?? []
  t.deepEqual(
    facts.map(({ text, status }) => [text, status]),
    [
      ['owner: Ann', 'current'],
      ['owner: Bob', 'current'],
    ],
  )
  t.deepEqual(
    facts.map(({ since }) => since?.slice(0, 10)),
    [undefined, `${year}-04-01`],
  )
  const client = await connectHttp(t, daemon.url)
  const { text } = await callTool(client, 'memory_about', { name: 'invoice service' })
  t.regex(text, new RegExp(`owner: Bob \\(from ${year}-04-01`))
  const prompt = await submitPrompt(daemon, 'who owns the invoice service?', { sessionKey: 'asks' })
  t.regex(prompt.body.inject ?? '', /owner: Ann/)
  t.notRegex(prompt.body.inject ?? '', /Bob/)
})
