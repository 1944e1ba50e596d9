import test from 'ava'
import { pino } from 'pino'
import { AccessCounts } from '../../../../../src/daemon/ground/storage/access-counts.js'
import type { Accessed } from '../../../../../src/store/tables/memory/memories.js'
import type { Tables } from '../../../../../src/store/tables/tables.js'
import { manualTime } from '../../../../helpers/manual-time.js'

function countsOf() {
  const time = manualTime()
  const state = { fails: false, written: [] as Accessed[][] }
  const countAccess = async (accessed: readonly Accessed[]) => void state.written.push([...accessed])
  const counts = new AccessCounts({
    log: pino({ level: 'silent' }),
    timers: time.timers,
    store: {
      bookkeeping: async work => {
        if (state.fails) throw new Error('the disk is full')
        return work({ memories: { countAccess } } as unknown as Tables)
      },
    },
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
  t.deepEqual(state.written, [
    [
      { id: 'a', count: 2, at: '2026-01-01T00:00:02Z' },
      { id: 'b', count: 1, at: '2026-01-01T00:00:01Z' },
    ],
  ])
})

test('what the disk does not take is written later, with what came meanwhile', async t => {
  const { time, state, counts } = countsOf()
  state.fails = true
  counts.note(['a'], '2026-01-01T00:00:01Z')
  time.advance(1000)
  await new Promise(setImmediate)
  state.fails = false
  counts.note(['a'], '2026-01-01T00:00:02Z')
  t.deepEqual(time.waits(), [1000], 'it is tried again')
  await counts.close()
  t.deepEqual(state.written, [[{ id: 'a', count: 2, at: '2026-01-01T00:00:02Z' }]])
})

test('many memories are written by few rows at a time', async t => {
  const { state, counts } = countsOf()
  counts.note(
    Array.from({ length: 450 }, (_, n) => `m${n}`),
    '2026-01-01T00:00:01Z',
  )
  await counts.close()
  t.deepEqual(
    state.written.map(({ length }) => length),
    [200, 200, 50],
  )
})
