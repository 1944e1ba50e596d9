import test from 'ava'
import { type ShownMemory, UsedMemories } from '../../../../../src/daemon/sessions/capture/score-session.js'

const at = '2026-01-01T10:00:00.000Z'
const port = {
  id: 'id-of-port',
  content: 'The staging database listens on port 6543',
  shownAt: at,
  rating: null,
}

function usedBy(shown: Partial<ShownMemory>, ...said: [role: string, text: string, at?: string][]) {
  const used = new UsedMemories([{ ...port, ...shown }])
  for (const [role, text, time = at] of said) used.hear({ role, text, at: time })
  return [...used.used.values()]
}

test('a memory counts as used if a reply repeats half of its distinctive words, one of them new (telemetry.md 7)', t => {
  t.deepEqual(usedBy({}, ['assistant', 'I connect to the staging database at 6543.']), ['repeated'])
  t.deepEqual(usedBy({}, ['assistant', 'I look at the database.']), [])
  t.deepEqual(
    usedBy({}, ['user', 'staging database on port 6543 listens'], ['assistant', 'staging database 6543']),
    [],
  )
  t.deepEqual(
    usedBy({}, ['user', 'which port has the staging database?'], ['assistant', 'staging database: 6543']),
    ['repeated'],
  )
  t.deepEqual(usedBy({}, ['unknown', 'staging database listens on port 6543']), [])
  t.deepEqual(usedBy({ content: '6543' }, ['assistant', '6543']), [])
})

test('a single reply must repeat it after it was shown (telemetry.md 7)', t => {
  t.deepEqual(usedBy({}, ['assistant', 'the staging one'], ['assistant', 'port 6543']), [])
  t.deepEqual(usedBy({}, ['assistant', 'staging database 6543', '2026-01-01T09:00:00.000Z']), [])
})

test('a memory id counts as use, and a rating takes precedence over replies (telemetry.md 7)', t => {
  t.deepEqual(usedBy({}, ['assistant', 'as [id-of-port] has it']), ['named'])
  t.deepEqual(usedBy({ rating: 0.5 }), ['rated'])
  t.deepEqual(usedBy({ rating: -1 }, ['assistant', 'staging database 6543 (id-of-port)']), [])
  t.deepEqual(usedBy({ rating: 0 }, ['assistant', 'staging database 6543']), ['repeated'])
})
