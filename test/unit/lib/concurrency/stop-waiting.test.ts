import { setTimeout as after } from 'node:timers/promises'
import test from 'ava'
import { unlessAborted } from '../../../../src/lib/concurrency/stop-waiting.js'

test('what heard the signal too and ended first is given up for the reason of the signal', async t => {
  const stop = new AbortController()
  const work = after(60_000, undefined, { signal: stop.signal })
  stop.abort(new Error('again'))
  await t.throwsAsync(work, { name: 'AbortError' })
  await t.throwsAsync(unlessAborted(work, stop.signal), { message: 'again' })
})

test('work that fails by itself fails as it does', async t => {
  const { signal } = new AbortController()
  await t.throwsAsync(unlessAborted(Promise.reject(new Error('broken')), signal), { message: 'broken' })
})
