import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Loaded into a measured daemon: answers any message with the processor time that all its threads used so far, and
// with the delay of its event loop since the message before. Looking at the loop costs some percent of a core: where
// PROBE_LOOP is `off`, that is left out.
const watches = isMainThread && process.env.PROBE_LOOP !== 'off'
const delay = monitorEventLoopDelay({ resolution: 2 })
// Threads that the daemon starts load this file too: what it costs must not grow with their number.
if (watches) delay.enable()

// Where the machine is busy with others, turns wait for it: what they take of the processor is what they hold it for.
const turns = { last: processorMs(), longest: 0 }
if (watches)
  setInterval(() => {
    const now = processorMs()
    turns.longest = Math.max(turns.longest, now - turns.last)
    turns.last = now
  }, 2).unref()

/** What this thread used of the processor so far; 0 where the system does not tell. */
function processorMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const ms = nanoseconds => nanoseconds / 1e6
  process.send({
    cpuMs: (user + system) / 1000,
    loopP99Ms: ms(delay.percentile(99)),
    loopMaxMs: ms(delay.max),
    turnMaxMs: turns.longest,
  })
  turns.longest = 0
  delay.reset()
})
// The daemon ends when it wants to.
process.channel?.unref()
