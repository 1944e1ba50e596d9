import test, { type ExecutionContext } from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { operation, perform } from '../helpers/ontology.js'

/** Stores an entity with two facts and a value that contradicts one of them. */
async function storeScheduler(t: ExecutionContext): Promise<string> {
  const daemon = await daemonHere(t)
  const said = 'The scheduler has port 6230 or 7421, and Ann owns it'
  const memory = await daemon.remember(said)
  const slot = { entity: 'scheduler', entityType: 'component' }
  const from = { [memory]: said }
  await perform(daemon, [
    operation('assert_claim', { ...slot, aspect: 'network', claim: 'port', value: '6230' }, from),
    operation('assert_claim', { ...slot, aspect: 'people', claim: 'owner', value: 'Ann' }, from),
    operation('assert_claim', { ...slot, aspect: 'network', claim: 'port', value: '7421' }, from),
  ])
  return memory
}

test('memory about tells facts by aspect with their sources, and answers an unknown name with similar ones', async t => {
  const memory = await storeScheduler(t)
  const piped = await runHere(t, ['about', 'scheduler'])
  t.is(piped.code, 0)
  t.regex(
    piped.stdout,
    new RegExp(`^people\\towner: Ann\\t\\d{4}-\\d\\d-\\d\\d\\tmemory\\t${memory}\\tThe scheduler`, 'm'),
  )
  const found = (await runHere(t, ['about', 'scheduler', '--json'])).json()
  t.is(found.total, 3)
  const unknown = await runHere(t, ['about', 'the', 'schedular'])
  t.is(unknown.code, 3)
  t.regex(unknown.stderr, /did you mean scheduler\?/)
})

test('memory review lists cards in a pipe, decides by id and by entity, and undoes', async t => {
  await storeScheduler(t)
  const list = await runHere(t, ['review'])
  t.regex(list.stdout, /^\S+\tscheduler\tnetwork > port\tport: 6230\tport: 7421\tThe scheduler has .*\t\S+$/m)
  t.regex(list.stderr, /1 suggestion/)
  const [card] = (await runHere(t, ['review', '--json'])).json().cards
  t.is((await runHere(t, ['review', card.id])).code, 2)
  const decided = await runHere(t, ['review', card.id.slice(-8), '--replace'])
  t.is(decided.code, 0, decided.stderr)
  t.regex((await runHere(t, ['about', 'scheduler'])).stdout, /port: 7421/)
  t.regex((await runHere(t, ['review'])).stderr, /Nothing to review/)
  t.regex((await runHere(t, ['review', '--undo'])).stdout, /Undone:/)
  t.is((await runHere(t, ['review', '--entity', 'scheduler', '--keep'])).code, 0)
  const facts = (await runHere(t, ['about', 'scheduler'])).stdout
  t.true(facts.includes('port: 6230') && !facts.includes('port: 7421'))
  t.is((await runHere(t, ['review', card.id, '--keep'])).code, 4)
})

test('memory ontology merge, split and alias change entities, and memory review --undo takes each back', async t => {
  await storeScheduler(t)
  const names = async () =>
    (await runHere(t, ['ontology', 'entities', '--json']))
      .json()
      .entities.map(({ name }: { name: string }) => name)
  const facts = (await runHere(t, ['ontology', 'show', 'scheduler', '--json'])).json().claims
  const owner = facts.find(({ claim }: { claim: string }) => claim === 'owner').id
  t.is((await runHere(t, ['ontology', 'alias', 'scheduler', 'cron box'])).code, 0)
  t.is((await runHere(t, ['about', 'cron', 'box', '--json'])).json().entity.name, 'scheduler')
  const split = await runHere(t, ['ontology', 'split', 'scheduler', 'cron box', '--fact', owner])
  t.is(split.code, 0, split.stderr)
  t.deepEqual((await names()).sort(), ['cron box', 'scheduler'])
  t.is((await runHere(t, ['ontology', 'merge', 'cron box', 'scheduler'])).code, 0)
  t.deepEqual(await names(), ['scheduler'])
  for (const count of [2, 1, 1]) {
    const undone = await runHere(t, ['review', '--undo'])
    t.is(undone.code, 0, undone.stderr)
    t.is((await names()).length, count)
  }
  t.is((await runHere(t, ['about', 'cron', 'box'])).code, 3)
  t.is((await runHere(t, ['ontology', 'merge', 'nobody', 'scheduler'])).code, 3)
})
