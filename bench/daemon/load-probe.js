import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { watchTurns } from './turns.js'

// Loaded into a measured daemon: answers any message with the processor time that all its threads used so far, and
// with the delay of its event loop since the message before. Looking at the loop costs some percent of a core: where
// PROBE_LOOP is `off`, that is left out.
const watches = isMainThread && process.env.PROBE_LOOP !== 'off'
const delay = monitorEventLoopDelay({ resolution: 2 })
// Threads that the daemon starts load this file too: what it costs must not grow with their number.
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
// The daemon ends when it wants to.
process.channel?.unref()
