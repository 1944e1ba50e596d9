// runs: in turn

import test from 'ava'
import { LateWriter } from '../../../../../src/daemon/ground/telemetry/late-writer.js'
import { deferred } from '../../../../../src/lib/concurrency/deferred.js'
import { manualTime } from '../../../../helpers/manual-time.js'

function writerOf() {
  const { timers, advance, waits } = manualTime()
  const state = { written: [] as number[][], pending: deferred<void>() }
  const writer = new LateWriter<number>({
    intervalMs: 1000,
    maxWaiting: 100,
    maxTogether: 10,
    write: items => {
      state.written.push([...items])
      return state.pending.promise
    },
    onFault: () => undefined,
    timers,
  })
  return { writer, state, advance, waits }
}

test('items that arrive during a write wait for their own time (telemetry.md 3)', async t => {
  const { writer, state, advance, waits } = writerOf()
  writer.add(1)
  advance(1000)
  await new Promise(setImmediate)
  writer.add(2)
  state.pending.resolve()
  await new Promise(setImmediate)
  t.deepEqual(state.written, [[1]])
  t.deepEqual(waits(), [1000])
  advance(1000)
  await new Promise(setImmediate)
  t.deepEqual(state.written, [[1], [2]])
})

test('flush and close write everything that came before', async t => {
  const { writer, state, advance } = writerOf()
  writer.add(1)
  advance(1000)
  await new Promise(setImmediate)
  writer.add(2)
  const flushed = writer.flush()
  const closed = writer.close()
  writer.add(3)
  state.pending.resolve()
  await flushed
  t.deepEqual(state.written.slice(0, 2), [[1], [2, 3]])
  writer.add(4)
  await closed
  t.deepEqual(state.written.flat(), [1, 2, 3, 4])
})

test('a full batch is written at once', async t => {
  const { writer, state } = writerOf()
  for (let item = 0; item < 12; item++) writer.add(item)
  state.pending.resolve()
  await new Promise(setImmediate)
  t.deepEqual(
    state.written.map(({ length }) => length),
    [10, 2],
  )
})
