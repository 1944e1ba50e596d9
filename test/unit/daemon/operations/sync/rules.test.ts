import test from 'ava'
import { HybridClock, isTooFarAhead, tagOf } from '../../../../../src/daemon/operations/sync/rules/clock.js'
import { emptyState, merge } from '../../../../../src/daemon/operations/sync/rules/merge.js'
import type { Changing, SyncRecord } from '../../../../../src/daemon/operations/sync/rules/records.js'
import { viewOf } from '../../../../../src/daemon/operations/sync/rules/view.js'
import { dumpOf, rules } from '../../../../helpers/sync-model-parts.js'

const at = (moment: number, tag = 'a') => `019a00000000-${moment.toString(16).padStart(4, '0')}-${tag}`
const text = (words: string) => ({ text: words, key: `key of ${words}` })
const holder = { agent: 'maya', project: null, scope: null, held: true, visibility: 'global', heldAt: '1' }

function save(id: string, words: string, moment: number, first: Partial<Changing> = {}): SyncRecord {
  const values: Changing = {
    ...{ content: text(words), type: 'fact', tags: [], importance: 0.5, pinned: false, who: null },
    ...{ reviewAfter: null, validUntil: null, expiresAt: null, superseded: null, ...first },
  }
  return { kind: 'save', id, clock: at(moment), saved: { origin: {}, first: values, holder } }
}

/** The view of records, which must be the same in both orders. */
function merged(...records: SyncRecord[]) {
  const [state, reversed] = [emptyState(), emptyState()]
  for (const record of records) merge(state, structuredClone(record))
  for (const record of [...records].reverse()) merge(reversed, structuredClone(record))
  if (dumpOf(state) !== dumpOf(reversed)) throw new Error('the order matters')
  return { state, ...viewOf(state, rules) }
}

const alive = ({ memories }: ReturnType<typeof merged>) =>
  memories.filter(({ forgotten }) => !forgotten).map(({ id }) => id)

test('a forget reaches an older save of the same text on a machine that had not met it, not a later one', t => {
  const forget: SyncRecord = { kind: 'forget', id: 'm1', key: text('crane').key, clock: at(5) }
  t.deepEqual(alive(merged(save('m1', 'crane', 1), save('m2', 'crane', 4), forget)), [])
  t.deepEqual(alive(merged(save('m1', 'crane', 1), save('m2', 'crane', 6), forget)), ['m2'])
  const edit: SyncRecord = { kind: 'set', id: 'm3', field: 'content', value: text('crane'), clock: at(7) }
  t.deepEqual(alive(merged(save('m1', 'crane', 1), save('m3', 'other', 2), edit, forget)), ['m3'])
})

test('an edit does not bring a forgotten memory back, a recovery and a later holder do', t => {
  const known = [save('m1', 'crane', 1), save('m2', 'crane', 2)]
  const forget: SyncRecord = { kind: 'forget', id: 'm1', key: text('crane').key, clock: at(5) }
  const edit: SyncRecord = { kind: 'set', id: 'm1', field: 'tags', value: ['x'], clock: at(6) }
  t.deepEqual(alive(merged(...known, forget, edit)), [])
  const recover: SyncRecord = { kind: 'recover', id: 'm1', key: text('crane').key, clock: at(7) }
  const recovered = merged(...known, forget, recover)
  t.deepEqual(alive(recovered), ['m1'])
  t.deepEqual([...recovered.aliases], [['m2', 'm1']])
  const hold: SyncRecord = { kind: 'hold', id: 'm1', holder: { ...holder, agent: 'noor' }, clock: at(6) }
  t.deepEqual(alive(merged(...known, forget, hold)), ['m1'])
})

test('a purge removes the text everywhere it was written before, and nothing of that memory comes again', t => {
  const purge: SyncRecord = { kind: 'purge', id: 'm1', key: text('crane').key, clock: at(5) }
  const event = (id: string, moment: number): SyncRecord => ({
    ...{ kind: 'event', id, eventId: `${id} ${moment}`, event: 'edited', clock: at(moment) },
    ...{ before: text('crane'), after: text('other') },
  })
  const edit: SyncRecord = { kind: 'set', id: 'm2', field: 'content', value: text('other'), clock: at(3) }
  const hold: SyncRecord = { kind: 'hold', id: 'm1', holder, clock: at(9) }
  const { state, memories } = merged(
    ...[save('m1', 'crane', 1), save('m2', 'crane', 2), edit, event('m1', 1), event('m2', 3), hold, purge],
  )
  t.deepEqual(
    memories.map(({ id }) => id),
    ['m2'],
  )
  t.false(dumpOf(state).includes('"crane"'))
  t.deepEqual([...state.events.keys()], ['m2 3'])
  t.deepEqual(alive(merged(save('m1', 'crane', 1), purge, save('m4', 'crane', 8))), ['m4'])
})

test('the same text saved on two machines is one memory with everything that both knew', t => {
  const both = merged(
    save('m1', 'crane', 3, { tags: ['a'], importance: 0.2 }),
    save('m2', 'crane', 1, { tags: ['b'], importance: 0.9, pinned: true }),
  )
  t.like(both.memories, { length: 1, 0: { id: 'm1', tags: ['a', 'b'], importance: 0.9, pinned: true } })
  const set: SyncRecord = { kind: 'set', id: 'm1', field: 'tags', value: ['c'], clock: at(2) }
  const later = merged(save('m1', 'crane', 1, { tags: ['a'] }), save('m2', 'crane', 3, { tags: ['b'] }), set)
  t.deepEqual(later.memories[0]?.tags, ['b', 'c'])
})

test('of replacements in a circle the one that was made first goes', t => {
  const replace = (id: string, by: string, moment: number): SyncRecord => ({
    ...{ kind: 'set', id, field: 'superseded', clock: at(moment), value: { by, at: '1', reason: null } },
  })
  const ids = ['m1', 'm2', 'm3']
  const all = ids.map((id, index) => save(id, id, index))
  const { memories } = merged(...all, replace('m1', 'm2', 5), replace('m2', 'm3', 4), replace('m3', 'm1', 6))
  t.deepEqual(
    memories.map(({ superseded }) => superseded?.by ?? null),
    ['m2', null, 'm1'],
  )
  t.is(merged(...all, replace('m1', 'unknown', 5)).memories[0]?.superseded, null)
})

test('one moment given twice by a copied machine, and one id saved twice, end equal everywhere', t => {
  const set = (value: string): SyncRecord => ({ kind: 'set', id: 'm1', field: 'type', value, clock: at(4) })
  t.is(merged(save('m1', 'crane', 1), set('rule'), set('decision')).memories[0]?.type, 'rule')
  t.is(merged(save('m1', 'crane', 2), save('m1', 'ship', 1)).memories[0]?.text, 'ship')
  const purge: SyncRecord = { kind: 'purge', id: 'm9', key: text('crane').key, clock: at(5) }
  const twice = merged(save('m1', 'crane', 1), save('m1', 'ship', 1), purge)
  t.false(dumpOf(twice.state).includes('"crane"'))
})

test('of one moment that a copied machine gave twice, forgetting counts and knowing does not', t => {
  const forget: SyncRecord = { kind: 'forget', id: 'm1', key: text('crane').key, clock: at(5) }
  const hold: SyncRecord = { kind: 'hold', id: 'm1', holder: { ...holder, agent: 'noor' }, clock: at(5) }
  const recover: SyncRecord = { kind: 'recover', id: 'm1', key: text('crane').key, clock: at(5) }
  const edit: SyncRecord = { kind: 'set', id: 'm2', field: 'content', value: text('crane'), clock: at(5) }
  t.deepEqual(alive(merged(save('m1', 'crane', 1), hold, forget)), [])
  t.deepEqual(alive(merged(save('m1', 'crane', 1), recover, forget)), [])
  t.deepEqual(alive(merged(save('m1', 'crane', 1), save('m2', 'crane', 5), forget)), [])
  t.deepEqual(alive(merged(save('m1', 'crane', 1), save('m2', 'ship', 2), edit, forget)), [])
})

test('a clock never goes back, follows what it accepts, and does not follow one that is far ahead', t => {
  const clock = new HybridClock('k7qm')
  const [first, second, third] = [clock.next(1000), clock.next(1000), clock.next(10)]
  t.true(first < second && second < third)
  t.is(tagOf(third), 'k7qm')
  clock.accept('000000002000-0007-zzzz')
  t.is(clock.next(1000), '000000002000-0008-k7qm')
  t.true(new HybridClock('k7qm', clock.next(5)).next(5) > clock.next(5).replace(/.{9}$/u, ''))
  t.true(isTooFarAhead('019a00000000-0000-a', 0x019a00000000 - 3_600_001))
  t.false(isTooFarAhead('019a00000000-0000-a', 0x019a00000000 - 3_600_000))
  for (let made = 0; made < 70_000; made++) clock.next(0)
  t.true(clock.next(0) > '000000002001-0000-k7qm')
  t.throws(() => clock.accept('yesterday'))
})
