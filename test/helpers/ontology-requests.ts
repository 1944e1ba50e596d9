import type { TestDaemon } from './daemon.js'
import { runDreamPass } from './dreaming.js'
import { submitPrompt } from './hooks.js'
import { operation, perform } from './ontology.js'

/** Performs every kind of operation. */
export async function ontology(daemon: TestDaemon): Promise<void> {
  const said = 'the ferry Orion sails to Amrum with a crane, on Tuesdays'
  const { body: memory } = await daemon.call('POST /api/memory/remember', { body: { content: said } })
  const { body: other } = await daemon.call('POST /api/memory/remember', {
    body: { content: 'Orion lies still' },
  })
  const from = { [memory.id]: 'the ferry Orion' }
  const one = { entity: 'Orion', aspect: 'timetable', claim: 'day' }
  const results = await perform(daemon, [
    operation('create_entity', { name: 'Orion', type: 'ship', aliases: ['the ferry'] }, from),
    operation('create_entity', { name: 'Amrum', type: 'place' }, from),
    operation('create_entity', { name: 'Amrum Island', type: 'place' }, from),
    operation('add_alias', { entity: 'Orion', alias: 'the ship' }, from),
    operation('retire_alias', { entity: 'Orion', alias: 'the ship' }),
    operation('link', { from: 'Orion', relation: 'sails to', to: 'Amrum Island' }, from),
    operation('assert_claim', { ...one, value: 'Tuesday' }, from),
    operation('assert_claim', { ...one, value: 'Monday' }, { [other.id]: 'Orion' }),
    operation('assert_claim', { ...one, entity: 'Amrum Island', value: 'Tuesday' }, from),
    operation('assert_claim', { ...one, entity: 'Amrum', value: 'Friday' }, from),
    operation('merge_entities', { from: 'Amrum Island', into: 'Amrum' }),
    operation('add_memory', { content: 'the Orion carries a crane' }, from),
    operation('supersede_memory', { memory: other.id, supersededBy: memory.id }, from),
  ])
  const id = (index: number) => results[index]?.id ?? ''
  const premises = [id(9)]
  await perform(daemon, [
    operation('assert_claim', { ...one, value: 'Tuesday', premises }, from),
    operation('supersede_claim', { version: id(6), value: 'Sunday' }, from),
    operation('retract_claim', { version: id(9) }, from),
    operation('unlink', { link: id(5) }, from),
    operation('forget_memory', { memory: id(11) }, from),
  ])
  await perform(daemon, [operation('create_entity', { name: 'Sylt', type: 'place' }, from)], {
    mode: 'propose',
  })
  await submitPrompt(daemon, 'when does the ferry sail')
  await dream(daemon)
  await reads(daemon)
}

/** Runs a pass over everything. */
async function dream(daemon: TestDaemon): Promise<void> {
  await daemon.call('GET /api/dream/status')
  await runDreamPass(daemon)
}

async function reads({ call }: TestDaemon): Promise<void> {
  for (const query of [{}, { q: 'orion' }, { q: 'the', offset: 1 }, { agentId: 'maya' }])
    await call('GET /api/ontology/entities', { query })
  for (const id of ['Orion', 'Amrum', 'nobody'])
    await call('GET /api/ontology/entities/:id', { params: { id } })
  await call('GET /api/ontology/memories/:id/claims', { params: { id: 'nothing' } })
  for (const query of [{}, { depth: 2, limit: 3 }])
    await call('GET /api/ontology/entities/:id/neighbourhood', { params: { id: 'Amrum' }, query })
  for (const query of [{}, { project: '/shop', limit: 1 }]) await call('GET /api/ontology/graph', { query })
  for (const entity of ['Orion', 'Amrum'])
    await call('GET /api/ontology/claims/explain', {
      query: { entity, aspect: 'timetable', group: 'general', claim: 'day' },
    })
  for (const id of ['Orion', 'Amrun', 'nobody'])
    await call('GET /api/ontology/entities/:id/about', { params: { id } })
  await review({ call })
  const { body } = await call('GET /api/ontology/proposals')
  await call('GET /api/ontology/proposals', { query: { status: 'applied' } })
  const [one, two] = body.proposals
  const decision = { body: { reason: 'a test' } }
  await call('POST /api/ontology/proposals/:id/apply', { params: { id: one?.id ?? 'p' }, ...decision })
  await call('POST /api/ontology/proposals/:id/reject', { params: { id: two?.id ?? 'p' }, ...decision })
}

/** Lists cards, decides one, merges and splits entities, and undoes all of it. */
async function review({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  const { body } = await call('GET /api/ontology/review', { query: { all: 'true' } })
  await call('GET /api/ontology/review', { query: { entity: 'Orion' } })
  const decisions = body.cards.slice(0, 2).map(({ id }) => ({ id, decision: 'not_a_fact' as const }))
  if (decisions.length > 0) await call('POST /api/ontology/review', { body: { decisions } })
  const { body: orion } = await call('GET /api/ontology/entities/:id', { params: { id: 'Orion' } })
  const facts = (orion.claims ?? []).slice(0, 1).map(({ id }) => id)
  await perform({ call }, [
    operation('split_entity', { entity: 'Orion', name: 'Orion II', facts }),
    operation('merge_entities', { from: 'Orion II', into: 'Orion' }),
  ])
  for (let undone = 0; undone < 4; undone++) await call('POST /api/ontology/undo', { body: {} })
  await call('POST /api/ontology/undo', { body: { batch: 'none' } })
}
