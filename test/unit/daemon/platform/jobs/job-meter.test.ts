import test from 'ava'
import { createJobMeter } from '../../../../../src/daemon/platform/jobs/job-meter.js'

test('the meter reports running jobs, own failures and durations of completed jobs (operations.md 6.1)', t => {
  let now = 0
  const meter = createJobMeter(() => now)
  t.deepEqual(meter.report(), { inFlight: 0, failures: 0, latency: { count: 0, p50: 0, p95: 0, p99: 0 } })
  for (let ms = 1; ms <= 100; ms++) {
    const ended = meter.begin(1)
    now += ms
    ended('done')
  }
  const [fails, givesUp] = [meter.begin(2), meter.begin(1)]
  t.is(meter.report().inFlight, 3)
  fails('failed')
  givesUp('given_up')
  t.deepEqual(meter.report(), {
    inFlight: 0,
    failures: 2,
    latency: { count: 100, p50: 50, p95: 95, p99: 99 },
  })
})
