export interface Timers {
  /** Calls `work` once after `ms`. @returns a function that cancels it. */
  after(ms: number, work: () => void): () => void
  /** Calls `work` every `ms`. @returns a function that stops it. */
  every(ms: number, work: () => void): () => void
}

/** The system's timers, which do not keep the process alive. */
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
