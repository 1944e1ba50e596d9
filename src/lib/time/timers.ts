export interface Timers {
  /** Calls `work` once after `ms`. @returns a function that cancels it. */
  after(ms: number, work: () => void): () => void
  /** Calls `work` every `ms`. @returns a function that ends it. */
  every(ms: number, work: () => void): () => void
}

/** Timers of the system; none of them keeps the process alive. */
export const systemTimers: Timers = {
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref()
    return () => clearInterval(timer)
  },
}
