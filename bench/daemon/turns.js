import { readFileSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'

/** What the main thread used of the processor so far, in milliseconds; 0 where the system does not tell. */
function processorMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/**
 * Looks at the turns of the event loop every two milliseconds. Where the machine is busy with others, turns wait for it:
 * what they take of the processor is what they hold it for.
 */
export function watchTurns() {
  const state = { last: processorMs(), longest: 0 }
  const microseconds = createHistogram()
  const look = setInterval(() => {
    const now = processorMs()
    state.longest = Math.max(state.longest, now - state.last)
    microseconds.record(Math.max(1, Math.round((now - state.last) * 1000)))
    state.last = now
  }, 2)
  look.unref()
  return {
    /** The longest since it was asked before, in milliseconds of the processor. */
    longest() {
      const { longest } = state
      state.longest = 0
      return longest
    },
    /** What 99 of a hundred looks had at most, since it began. */
    p99: () => microseconds.percentile(99) / 1000,
    end: () => clearInterval(look),
  }
}
