import test from 'ava'
import { watchIdle } from '../../../../src/daemon/process/idle.js'
import { manualTime } from '../../../helpers/manual-time.js'

/** Watches a daemon that ends after 10 s without work by default. */
function openWatch(timeoutMs = 10_000) {
  const time = manualTime()
  const seen = { idle: 0, rests: 0, firstRests: 0, busy: false }
  const watch = watchIdle({
    timeoutMs: () => timeoutMs,
    busy: () => seen.busy,
    onIdle: () => {
      seen.idle++
    },
    onRest: () => {
      seen.rests++
    },
    onFirstRest: () => {
      seen.firstRests++
    },
    timers: time.timers,
    now: () => time.clock().getTime(),
  })
  return { time, seen, watch }
}

test('a daemon without work is idle after the configured time', t => {
  const { time, seen } = openWatch()
  time.advance(10_000)
  t.is(seen.idle, 0)
  time.advance(1000)
  t.is(seen.idle, 1)
})

test('a running request counts as work until it ends', t => {
  const { time, seen, watch } = openWatch()
  const [first, second] = [watch.enter(), watch.enter()]
  time.advance(30_000)
  first()
  first()
  time.advance(30_000)
  t.is(seen.idle, 0)
  second()
  time.advance(10_000)
  t.is(seen.idle, 0)
  time.advance(1000)
  t.is(seen.idle, 1)
})

test('background work keeps the daemon running, and the time restarts at its end', t => {
  const { time, seen } = openWatch()
  seen.busy = true
  time.advance(30_000)
  seen.busy = false
  time.advance(10_000)
  t.is(seen.idle, 0)
  time.advance(1000)
  t.is(seen.idle, 1)
})

test('a daemon without work rests a few times, then only after new work', t => {
  const { time, seen, watch } = openWatch(0)
  const request = watch.enter()
  time.advance(600_000)
  t.is(seen.rests, 0)
  request()
  time.advance(29_000)
  t.is(seen.rests, 0)
  time.advance(600_000)
  t.is(seen.rests, 6)
  seen.busy = true
  time.advance(1000)
  seen.busy = false
  time.advance(30_000)
  t.is(seen.rests, 7)
})

test('an idle time of 0 never ends the daemon', t => {
  const { time, seen, watch } = openWatch(0)
  watch.enter()()
  time.advance(86_400_000)
  t.is(seen.idle, 0)
})

test('the first rest comes after one second without work, and only once', t => {
  const { time, seen, watch } = openWatch(0)
  seen.busy = true
  const request = watch.enter()
  time.advance(10_000)
  seen.busy = false
  time.advance(10_000)
  t.is(seen.firstRests, 0)
  request()
  time.advance(500)
  watch.enter()()
  time.advance(500)
  t.is(seen.firstRests, 0)
  time.advance(1000)
  t.is(seen.firstRests, 1)
  time.advance(600_000)
  t.is(seen.firstRests, 1)
})
