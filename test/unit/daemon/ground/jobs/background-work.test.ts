import test from 'ava'
import {
  createBackgroundWork,
  PipelinePaused,
} from '../../../../../src/daemon/ground/jobs/background-work.js'
import { deferred } from '../../../../../src/lib/concurrency/deferred.js'
import { unlessAborted } from '../../../../../src/lib/concurrency/stop-waiting.js'
import { manualTime } from '../../../../helpers/manual-time.js'

test('a quiescence counts running, aborted and remaining work (operations.md 6.2)', async t => {
  const time = manualTime()
  let paused = false
  const background = createBackgroundWork(() => paused, time.timers)
  const stuck = deferred<void>()
  const late = deferred<void>()
  const heeds = background.run(signal => unlessAborted(deferred<void>().promise, signal))
  const finishes = background.run(() => late.promise)
  const hangs = background.run(() => stuck.promise)
  const gone = t.throwsAsync(heeds, { instanceOf: PipelinePaused })
  const told = background.quiesce(async () => {
    paused = true
  }, 1000)
  await gone
  late.resolve()
  await finishes
  await t.throwsAsync(
    background.run(async () => undefined),
    { instanceOf: PipelinePaused },
    'nothing new is begun',
  )
  time.advance(1000)
  t.deepEqual(await told, { activeAtStart: 3, aborted: 1, remaining: 1, timedOut: true })
  const again = background.quiesce(async () => undefined, 1000)
  stuck.resolve()
  await hangs
  t.deepEqual(await again, { activeAtStart: 1, aborted: 0, remaining: 0, timedOut: false })
})

test('work is aborted by a pause in the settings and by its caller (operations.md 6.2)', async t => {
  const background = createBackgroundWork(() => false)
  const own = new AbortController()
  const endless = (signal: AbortSignal) => unlessAborted(deferred<void>().promise, signal)
  const [first, second] = [background.run(endless), background.run(endless, own.signal)]
  own.abort(new Error('the daemon ends'))
  await t.throwsAsync(second, { message: 'the daemon ends' })
  background.giveUp()
  await t.throwsAsync(first, { instanceOf: PipelinePaused })
})
