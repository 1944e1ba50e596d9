import test from 'ava'
import { createTraffic, untilRested } from '../../../../src/lib/concurrency/in-flight.js'

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

test('a task waits until requests have rested, and under constant traffic at most its limit', async t => {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const traffic = createTraffic(now)
  const waitedFor = async (during: () => void): Promise<number> => {
    const begun = clock.ms
    const wait = async (ms: number) => {
      clock.ms += ms
      during()
    }
    await untilRested(traffic, { restMs: 25, longestMs: 100, now, wait })
    return clock.ms - begun
  }
  const ask = () => traffic.enter()()
  clock.ms = 30
  t.is(await waitedFor(ask), 0, 'they rest already')
  ask()
  t.is(await waitedFor(() => undefined), 25, 'the last one has just ended')
  let asked = 0
  ask()
  t.is(
    await waitedFor(() => {
      if (asked++ === 0) ask()
    }),
    50,
    'another one comes meanwhile',
  )
  ask()
  t.is(await waitedFor(ask), 100, 'there is always one')
})
