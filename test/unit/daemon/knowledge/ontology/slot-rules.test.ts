import test from 'ava'
import {
  relationOf,
  type TimedValue,
} from '../../../../../src/daemon/knowledge/ontology/model/claim-version.js'

const held = (value: string, from?: string, until?: string): TimedValue => ({
  value,
  value_hash: value.toLowerCase(),
  valid_from: from ?? null,
  valid_until: until ?? null,
})

test('a second value of a slot is equal, narrower, contradictory or for another time (knowledge.md#contradictions)', t => {
  const cases = [
    [held('Postgres'), held('postgres'), 'same'],
    [held('Postgres', '2026-01'), held('Postgres'), 'same'],
    [held('Postgres', '2026-01'), held('Postgres', '2026-01'), 'same'],
    [held('Postgres'), held('Postgres', '2026-01'), 'narrows'],
    [held('Postgres', '2026-01'), held('Postgres', '2026-01', '2026-06'), 'narrows'],
    [held('Postgres', '2026-01'), held('Postgres', '2026-02'), 'opposed_validity'],
    [held('Postgres', undefined, '2026-06'), held('Postgres', '2026-01', '2026-07'), 'opposed_validity'],
    [held('Postgres'), held('MySQL'), 'different_value'],
    [held('the job is enabled'), held('the job is disabled'), 'contradiction'],
    [held('Postgres', undefined, '2026-06'), held('MySQL', '2026-06'), 'apart'],
    [held('MySQL', '2026-06'), held('Postgres', undefined, '2026-06'), 'apart'],
    [held('MySQL', '2026-06'), held('Postgres', undefined, '2026-07'), 'different_value'],
  ] as const
  for (const [one, other, relation] of cases)
    t.is(relationOf(one, other), relation, `${JSON.stringify(one)} ${JSON.stringify(other)}`)
})
