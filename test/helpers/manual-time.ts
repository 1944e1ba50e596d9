import type { Timers } from '../../src/lib/time/timers.js'

interface Armed {
  at: number
  everyMs?: number
  work: () => void
}

/** A clock and timers that only move when the test advances them. */
export function manualTime(start = Date.parse('2026-01-01T00:00:00Z')) {
  let now = start
  const armed = new Set<Armed>()
  const arm = (timer: Armed) => {
    armed.add(timer)
    return () => void armed.delete(timer)
  }
  const timers: Timers = {
    after: (ms, work) => arm({ at: now + ms, work }),
    every: (ms, work) => arm({ at: now + ms, everyMs: ms, work }),
  }
  const fire = (timer: Armed) => {
    now = Math.max(now, timer.at)
    if (timer.everyMs === undefined) armed.delete(timer)
    else timer.at += timer.everyMs
    timer.work()
  }
  return {
    timers,
    clock: () => new Date(now),
    /** Milliseconds until each armed timer fires, soonest first. */
    waits: () => [...armed].map(({ at }) => at - now).sort((a, b) => a - b),
    /** Advances the clock and fires the timers that become due. */
    advance: (ms: number) => {
      const end = now + ms
      for (;;) {
        const [next] = [...armed].sort((a, b) => a.at - b.at)
        if (!next || next.at > end) break
        fire(next)
      }
      now = end
    },
  }
}
