import test from 'ava'
import { createTraffic } from '../../../../src/lib/concurrency/in-flight.js'

test('a waiting task continues when no request is running (knowledge.md#dreaming)', async t => {
  const traffic = createTraffic()
  const { signal } = new AbortController()
  t.is(traffic.quiet(signal), undefined)
  const leave = [traffic.enter(), traffic.enter()]
  let isQuiet = false
  const quiet = traffic.quiet(signal)?.then(() => {
    isQuiet = true
  })
  leave[0]?.()
  leave[0]?.()
  await Promise.resolve()
  t.false(isQuiet)
  leave[1]?.()
  await quiet
  t.true(isQuiet)
})

test('a stopped task no longer waits', async t => {
  const traffic = createTraffic()
  const stop = new AbortController()
  traffic.enter()
  const quiet = traffic.quiet(stop.signal)
  stop.abort()
  await quiet
  t.is(traffic.quiet(stop.signal), undefined)
})

test('quiet time counts from the end of the last operation', t => {
  const clock = { ms: 100 }
  const traffic = createTraffic(() => clock.ms)
  clock.ms = 150
  t.is(traffic.quietMs(), 50)
  const [first, second] = [traffic.enter(), traffic.enter()]
  clock.ms = 200
  first()
  t.is(traffic.quietMs(), 0)
  second()
  clock.ms = 270
  second()
  t.is(traffic.quietMs(), 70)
})
