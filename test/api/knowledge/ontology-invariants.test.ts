import test from 'ava'
import type { NewOperation } from '../../../src/contract/knowledge/ontology-operations.js'
import { startDaemon } from '../../helpers/daemon.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'

/** Returns a reproducible random number generator. */
function seededRandom(seed: number): (below: number) => number {
  let value = seed
  return below => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((value / 2_147_483_648) * below)
  }
}

test('after any sequence of operations a slot has one current value, and its history is complete (knowledge.md#contradictions)', async t => {
  const daemon = await startDaemon(t)
  const said = 'alpha beta gamma delta are on or off since then'
  const memories = await Promise.all(
    [undefined, '/shop'].map(project =>
      daemon.remember(`${said} ${project}`, { ...(project && { project }) }),
    ),
  )
  const seed = Number(process.env.SEED ?? 7)
  t.log(`seed ${seed}`)
  const below = seededRandom(seed)
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T
  const made: string[] = []
  const random = (): NewOperation => {
    const from = { [pick(memories)]: pick(['alpha', 'beta', 'since then']) }
    const entity = () => pick(['alpha', 'beta', 'gamma', 'delta'])
    const time = () => pick([undefined, '2026-01-01', '2026-06-01', '2027-01-01'])
    const period = { validFrom: time(), validUntil: time() }
    const version = pick(made.length > 0 ? made : ['none'])
    const premises = below(4) === 0 ? [version] : []
    const value = { value: pick(['on', 'off', 'ajar']), ...period, premises }
    switch (below(9)) {
      case 0:
        return operation('create_entity', { name: entity(), type: 'thing' }, from)
      case 1:
        return operation('add_alias', { entity: entity(), alias: pick(['one', 'two']) }, from)
      case 2:
        return operation('merge_entities', { from: entity(), into: entity() })
      case 3:
        return operation('link', { from: entity(), relation: 'near', to: entity() }, from)
      case 4:
        return operation('retract_claim', { version }, from)
      case 5:
        return operation('supersede_claim', { version, ...value }, from)
      default:
        return operation(
          'assert_claim',
          { entity: entity(), aspect: 'a', claim: pick(['c', 'd']), ...value },
          from,
        )
    }
  }
  for (let round = 0; round < 12; round++) {
    const results = await perform(daemon, Array.from({ length: 40 }, random), {
      mode: round % 4 === 3 ? 'propose' : 'apply',
    })
    made.push(...results.flatMap(({ status, id }) => (status === 'applied' && id ? [id] : [])))
    const { body } = await daemon.call('GET /api/ontology/proposals', { query: { limit: 200 } })
    for (const { id } of body.proposals.filter(() => below(3) === 0))
      await daemon.call(`POST /api/ontology/proposals/:id/${pick(['apply', 'reject'] as const)}`, {
        params: { id },
        body: { reason: 'a test' },
      })
  }
  const raw = openRaw(t, daemon.paths.database)
  const none = (why: string, query: string) => t.deepEqual(raw.prepare(query).all(), [], why)
  none(
    'two values at a time',
    `SELECT a.id, b.id AS other FROM claim_versions a JOIN claim_versions b ON b.claim_id = a.claim_id AND b.id > a.id
      AND b.project IS a.project WHERE a.status = 'current' AND b.status = 'current'
      AND (a.valid_from IS NULL OR b.valid_until IS NULL OR a.valid_from < b.valid_until)
      AND (b.valid_from IS NULL OR a.valid_until IS NULL OR b.valid_from < a.valid_until)`,
  )
  none(
    'a value that nothing says',
    `SELECT id FROM claim_versions v WHERE v.status = 'current'
      AND NOT EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = v.id)`,
  )
  none(
    'a value of another entity than its claim',
    'SELECT v.id FROM claim_versions v JOIN claims c ON c.id = v.claim_id WHERE c.entity_id <> v.entity_id',
  )
  none(
    'something left of a merged entity',
    'SELECT e.id FROM entities e WHERE merged_into IS NOT NULL AND (EXISTS (SELECT 1 FROM claims WHERE entity_id = e.id) OR EXISTS (SELECT 1 FROM entity_names WHERE entity_id = e.id) OR EXISTS (SELECT 1 FROM entity_mentions WHERE entity_id = e.id))',
  )
  none(
    'a miscounted entity',
    'SELECT id FROM entities e WHERE mentions <> (SELECT count(*) FROM entity_mentions WHERE entity_id = e.id)',
  )
  none(
    'a current link twice or to itself',
    "SELECT from_id FROM entity_links WHERE status = 'current' GROUP BY from_id, relation_key, to_id HAVING count(*) > 1 OR from_id = to_id",
  )
  none(
    'a circle of two conclusions',
    'SELECT a.version_id FROM claim_premises a JOIN claim_premises b ON b.version_id = a.premise_id AND b.premise_id = a.version_id',
  )
  const asked = raw.prepare("SELECT count(*) FROM ontology_operations WHERE mode <> 'decide'").pluck().get()
  t.is(asked, 12 * 40, 'every operation is recorded')
})
