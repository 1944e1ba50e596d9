// runs: in turn

import test from 'ava'
import { pino } from 'pino'
import { AccessCounts } from '../../../../../src/daemon/ground/storage/access-counts.js'
import type { WriteOptions } from '../../../../../src/store/store.js'
import type { Accesses } from '../../../../../src/store/tables/memory/accesses.js'
import type { Tables } from '../../../../../src/store/tables/tables.js'
import { manualTime } from '../../../../helpers/manual-time.js'

function countsOf({ loggedBytes = 0 } = {}) {
  const time = manualTime()
  const state = { fails: false, gatherFails: false, written: [] as Accesses[], gathered: 0 }
  const accesses = {
    note: async (noted: Accesses) => void state.written.push(noted),
    loggedBytes: async () => loggedBytes,
    gather: async () => {
      if (state.gatherFails) throw new Error('the disk is full')
      state.gathered++
    },
  }
  const within = async <T>(_options: WriteOptions, work: (tables: Tables) => Promise<T>): Promise<T> => {
    if (state.fails) throw new Error('the disk is full')
    return work({ accesses } as unknown as Tables)
  }
  const counts = new AccessCounts({
    log: pino({ level: 'silent' }),
    timers: time.timers,
    store: { write: within },
  })
  return { time, state, counts }
}

test('recalls within a second are written together, each memory once (recall.md 1.3.11)', async t => {
  const { time, state, counts } = countsOf()
  counts.note(['a', 'b'], '2026-01-01T00:00:01Z')
  counts.note(['a'], '2026-01-01T00:00:02Z')
  counts.note([], '2026-01-01T00:00:03Z')
  t.deepEqual(time.waits(), [1000])
  t.deepEqual(state.written, [])
  time.advance(1000)
  await counts.close()
  t.deepEqual(state.written, [{ at: '2026-01-01T00:00:02Z', counts: { a: 2, b: 1 } }])
})

test('counts are written later, with new ones, after a disk failure', async t => {
  const { time, state, counts } = countsOf()
  state.fails = true
  counts.note(['a'], '2026-01-01T00:00:01Z')
  time.advance(1000)
  await new Promise(setImmediate)
  state.fails = false
  counts.note(['a'], '2026-01-01T00:00:02Z')
  t.deepEqual(time.waits(), [1000], 'it is tried again')
  await counts.close()
  t.deepEqual(state.written, [{ at: '2026-01-01T00:00:02Z', counts: { a: 2 } }])
})

test('many counts are written in small batches', async t => {
  const { state, counts } = countsOf()
  counts.note(
    Array.from({ length: 2500 }, (_, n) => `m${n}`),
    '2026-01-01T00:00:01Z',
  )
  await counts.close()
  t.deepEqual(
    state.written.map(one => Object.keys(one.counts).length),
    [1000, 1000, 500],
  )
  t.is(state.gathered, 0)
})

test('a long log is compacted, and a failed compaction counts nothing twice (recall.md 1.3.11)', async t => {
  const { state, counts } = countsOf({ loggedBytes: 99_992 })
  counts.note(['a'], '2026-01-01T00:00:01Z')
  await counts.close()
  t.is(state.gathered, 0)
  state.gatherFails = true
  counts.note(['a'], '2026-01-01T00:00:02Z')
  await counts.close()
  t.is(state.written.length, 2)
})
