import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { unlessAborted, within } from '../../../../src/lib/concurrency/stop-waiting.js'

test('aborted work fails with the reason of the signal, even if it ended first', async t => {
  const stop = new AbortController()
  const work = after(60_000, undefined, { signal: stop.signal })
  stop.abort(new Error('again'))
  await t.throwsAsync(work, { name: 'AbortError' })
  await t.throwsAsync(unlessAborted(work, stop.signal), { message: 'again' })
})

test('work that fails by itself keeps its error', async t => {
  const { signal } = new AbortController()
  await t.throwsAsync(unlessAborted(Promise.reject(new Error('broken')), signal), { message: 'broken' })
})

test('a deadline that passes while this process does not run leaves finished work its result', async t => {
  const steps = async () => {
    for (let step = 0; step < 5; step++) await nextTurn()
    return 'read'
  }
  const work = within(steps(), 40, () => new Error('late'))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80)
  t.is(await work, 'read')
})

test('work that never ends is given up at its deadline', async t => {
  await t.throwsAsync(
    within(new Promise(() => {}), 20, () => new Error('late')),
    { message: 'late' },
  )
})
