import test from 'ava'
import { timeEvidence } from '../../../../../../src/daemon/memory/recall/ranking/dates.js'

const contents = new Map([
  ['timed', 'Signing keys rotate every 90 days'],
  ['clock', 'The backup starts at 02:30'],
  ['plain', 'Signing keys are kept in the vault'],
])

test('a question about time prefers rows that contain a time', t => {
  for (const query of ['When do the keys rotate?', 'how often do keys rotate', 'Since when is it so?']) {
    t.deepEqual([...timeEvidence({ query, contents }).keys()], ['timed', 'clock'], query)
  }
})

test('a question that does not ask for a time is not affected', t => {
  for (const query of ['keys', 'error when saving', 'which vault keeps the keys']) {
    t.is(timeEvidence({ query, contents }).size, 0, query)
  }
})
