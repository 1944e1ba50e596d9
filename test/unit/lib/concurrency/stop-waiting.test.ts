import { setTimeout as after } from 'node:timers/promises'
import test from 'ava'
import { unlessAborted } from '../../../../src/lib/concurrency/stop-waiting.js'

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
