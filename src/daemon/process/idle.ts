import { systemTimers, type Timers } from '../../lib/timers.js'

export interface IdleWatch {
  /** Notes that a request began. @returns what notes its end, once or several times. */
  enter(): () => void
  close(): void
}

export interface IdleOptions {
  /** Milliseconds without work until the end; 0 never. */
  timeoutMs: () => number
  /** True while there is work that nobody asks for now. */
  busy: () => boolean
  onIdle: () => void
  timers?: Timers
  /** Milliseconds that only grow. */
  now?: () => number
}

const lookEveryMs = 1000

/** Tells when there was no work for a while: no request in flight, nothing done in the background. */
export function watchIdle(options: IdleOptions): IdleWatch {
  const { timeoutMs, busy, onIdle, timers = systemTimers, now = () => performance.now() } = options
  const inFlight = new Set<symbol>()
  const state = { lastWork: now() }
  const end = timers.every(lookEveryMs, () => {
    if (inFlight.size > 0 || busy()) state.lastWork = now()
    const limit = timeoutMs()
    if (limit > 0 && now() - state.lastWork > limit) onIdle()
  })
  return {
    enter: () => {
      const request = Symbol('request')
      inFlight.add(request)
      return () => {
        if (inFlight.delete(request)) state.lastWork = now()
      }
    },
    close: end,
  }
}
