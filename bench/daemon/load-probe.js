import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { watchTurns } from './turns.js'

// Loaded into a measured daemon: answers any message with the processor time of all its threads so far, and
// with the delay of its event loop since the previous message. Watching the loop costs some percent of a
// core, so PROBE_LOOP=off disables it.
const watches = isMainThread && process.env.PROBE_LOOP !== 'off'
const delay = monitorEventLoopDelay({ resolution: 2 })
// Worker threads of the daemon load this file too; the probe's cost must not grow with their number.
if (watches) delay.enable()

const turns = watches ? watchTurns() : undefined

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const ms = nanoseconds => nanoseconds / 1e6
  process.send({
    cpuMs: (user + system) / 1000,
    loopP99Ms: ms(delay.percentile(99)),
    loopMaxMs: ms(delay.max),
    turnMaxMs: turns?.longest() ?? 0,
  })
  delay.reset()
})
// An open channel would keep the daemon from exiting.
process.channel?.unref()
