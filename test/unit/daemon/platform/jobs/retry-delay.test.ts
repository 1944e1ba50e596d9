import test from 'ava'
import { retryDelayMs } from '../../../../../src/daemon/platform/jobs/retry-delay.js'

test('the delay doubles with each failure up to 30 s (rules.md 3.2)', t => {
  const delays = [1, 2, 3, 4, 5, 50].map(failures => retryDelayMs(failures, () => 0))
  t.deepEqual(delays, [2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('the jitter adds up to 500 ms (rules.md 3.2)', t => {
  t.is(
    retryDelayMs(1, () => 0.999),
    2499.5,
  )
  t.is(
    retryDelayMs(50, () => 1),
    30_500,
  )
})
