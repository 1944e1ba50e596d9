import { readFileSync } from 'node:fs'
import { createHistogram } from 'node:perf_hooks'

/** Processor milliseconds of the main thread so far; 0 where the system does not report them. */
function processorMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/**
 * Samples the turns of the event loop every two milliseconds by processor time. On a busy machine the clock
 * would also count the wait for the processor.
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
    /** Longest turn since the previous call, in processor milliseconds. */
    longest() {
      const { longest } = state
      state.longest = 0
      return longest
    },
    /** 99th percentile of all samples since the start. */
    p99: () => microseconds.percentile(99) / 1000,
    end: () => clearInterval(look),
  }
}
