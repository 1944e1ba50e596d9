import test from 'ava'
import { createBreaker } from '../../../../src/lib/concurrency/breaker.js'

function breakerAt(start = 0) {
  const time = { ms: start }
  return { time, breaker: createBreaker({ threshold: 3, openMs: 100, maxOpenMs: 350, now: () => time.ms }) }
}

function failTimes(breaker: ReturnType<typeof createBreaker>, times: number) {
  for (let count = 0; count < times; count += 1) breaker.fail()
}

test('a breaker opens after three failures in a row', t => {
  const { breaker } = breakerAt()
  failTimes(breaker, 2)
  breaker.succeed()
  failTimes(breaker, 2)
  t.is(breaker.state(), 'closed')
  breaker.fail()
  t.is(breaker.state(), 'open')
  t.is(breaker.remainingMs(), 100)
})

test('an open breaker allows one probe after its time', t => {
  const { breaker, time } = breakerAt()
  failTimes(breaker, 3)
  t.false(breaker.startProbe())
  time.ms = 100
  t.is(breaker.state(), 'half-open')
  t.true(breaker.startProbe())
  t.false(breaker.startProbe())
  breaker.succeed()
  t.is(breaker.state(), 'closed')
})

test('each failed probe doubles the open time up to a limit', t => {
  const { breaker, time } = breakerAt()
  failTimes(breaker, 3)
  const waits = [200, 350, 350].map(() => {
    time.ms += breaker.remainingMs()
    breaker.startProbe()
    breaker.fail()
    return breaker.remainingMs()
  })
  t.deepEqual(waits, [200, 350, 350])
})

test('after a recovery one failure reopens it for longer, until three calls succeeded', t => {
  const { breaker, time } = breakerAt()
  failTimes(breaker, 3)
  time.ms = 100
  breaker.succeed()
  breaker.fail()
  t.is(breaker.remainingMs(), 200)
  time.ms = 300
  breaker.succeed()
  breaker.succeed()
  breaker.succeed()
  failTimes(breaker, 2)
  t.is(breaker.state(), 'closed')
})

test('a lasting failure opens it at once, for as long as requested', t => {
  const { breaker } = breakerAt()
  breaker.fail({ atOnce: true, minOpenMs: 250 })
  t.is(breaker.remainingMs(), 250)
})

test('failures of calls already running do not extend the open time', t => {
  const { breaker, time } = breakerAt()
  failTimes(breaker, 3)
  time.ms = 50
  failTimes(breaker, 5)
  t.is(breaker.remainingMs(), 50)
})

test('a reset breaker forgets its failures', t => {
  const { breaker } = breakerAt()
  failTimes(breaker, 3)
  breaker.reset()
  t.is(breaker.state(), 'closed')
  failTimes(breaker, 2)
  t.is(breaker.state(), 'closed')
})
