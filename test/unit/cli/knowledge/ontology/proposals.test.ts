import test from 'ava'
import { changeText } from '../../../../../src/cli/knowledge/ontology/proposals.js'

const names = {
  e1: 'Orion',
  e2: 'Amrum',
  v1: 'Orion > deployment > database',
  l1: 'Orion sails to Amrum',
  m1: 'it moved',
}

const changes: readonly [operation: string, payload: Record<string, unknown>, text: string][] = [
  [
    'create_entity',
    { name: 'Orion', type: 'ship', aliases: ['Blue Whale'] },
    'Orion (ship), also Blue Whale',
  ],
  ['add_alias', { entity: 'e1', alias: 'the ferry' }, 'Orion is also called the ferry'],
  ['retire_alias', { entity: 'e1', alias: 'the ferry' }, 'Orion is no longer called the ferry'],
  ['merge_entities', { from: 'e2', into: 'e1' }, 'Amrum becomes part of Orion'],
  [
    'assert_claim',
    {
      entity: 'e1',
      aspect: 'deployment',
      group: 'general',
      claim: 'database',
      value: 'MySQL',
      validFrom: '2026-01-01',
    },
    'Orion > deployment > database: MySQL, from 2026-01-01',
  ],
  ['supersede_claim', { version: 'v1', value: 'MySQL' }, 'Orion > deployment > database: MySQL'],
  ['retract_claim', { version: 'v1' }, 'Orion > deployment > database is removed'],
  ['link', { from: 'e1', relation: 'sails to', to: 'e2' }, 'Orion sails to Amrum'],
  ['unlink', { link: 'l1' }, 'Orion sails to Amrum is removed'],
  ['add_memory', { content: 'it moved', tags: ['a', 'b'] }, 'it moved, tags a, b'],
  ['supersede_memory', { memory: 'm0', supersededBy: 'm1' }, 'replaced by: it moved'],
  ['forget_memory', { memory: 'm1' }, 'forgotten: it moved'],
]

for (const [operation, payload, text] of changes)
  test(`a proposal to ${operation} reads as a sentence with names (knowledge.md#proposals)`, t => {
    t.is(changeText({ operation, payload, names }), text)
  })

test('hidden names are shown as ids, and unknown operations as their fields', t => {
  t.is(
    changeText({ operation: 'merge_entities', payload: { from: 'e8', into: 'e9' }, names: {} }),
    'e8 becomes part of e9',
  )
  t.is(changeText({ operation: 'split', payload: { entity: 'e1', at: 3 }, names }), 'entity Orion, at 3')
})
