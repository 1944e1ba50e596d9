import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into a measured daemon: answers any message with the processor time that all its threads used so far, and
// with the delay of its event loop since the message before.
const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const ms = nanoseconds => nanoseconds / 1e6
  process.send({
    cpuMs: (user + system) / 1000,
    loopP99Ms: ms(delay.percentile(99)),
    loopMaxMs: ms(delay.max),
  })
  delay.reset()
})
// The daemon ends when it wants to.
process.channel?.unref()
