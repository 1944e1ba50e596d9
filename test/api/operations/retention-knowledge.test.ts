import test from 'ava'
import { sweep } from '../../../src/daemon/operations/retention/sweep.js'
import { startDaemon } from '../../helpers/daemon.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'

const dayMs = 86_400_000

test('permanently deleting a memory removes its mentions, quotes and facts without other evidence (rules.md 1.4)', async t => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const daemon = await startDaemon(t, { clock: () => new Date(now) })
  const gone = await daemon.remember('Orion and Vega and Lyra are ships')
  const kept = await daemon.remember('Vega is a star')
  const create = (name: string, from: string, pinned = false) =>
    operation('create_entity', { name, type: 'ship', pinned }, { [from]: name })
  await perform(daemon, [
    create('Orion', gone),
    create('Vega', gone),
    create('Vega', kept),
    create('Lyra', gone, true),
    create('Wega', gone.replace(/./u, 'x')),
    operation('create_entity', { name: 'Orion II', type: 'ship' }, { [gone]: 'Orion' }),
    operation('merge_entities', { from: 'Orion II', into: 'Orion' }),
    operation(
      'assert_claim',
      { entity: 'Orion', aspect: 'a', claim: 'kind', value: 'ship' },
      { [gone]: 'ships' },
    ),
  ])
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, body: { reason: 'a test' } })
  t.like(await sweep(daemon.daemon), { mentions: 0, entities: 0, tombstones: 0 })
  now += 31 * dayMs
  t.like(await sweep(daemon.daemon), { mentions: 3, entities: 1, tombstones: 1 })
  const raw = openRaw(t, daemon.paths.database)
  const all = (query: string) => raw.prepare(query).all()
  t.deepEqual(all('SELECT name, mentions FROM entities ORDER BY name'), [
    { name: 'Lyra', mentions: 0 },
    { name: 'Vega', mentions: 1 },
  ])
  t.deepEqual(all('SELECT value FROM claim_versions'), [])
  t.deepEqual(all("SELECT quote FROM evidence_spans WHERE quote <> '' AND span_start IS NOT NULL"), [
    { quote: 'Vega' },
  ])
})
