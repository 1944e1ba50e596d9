import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'

/** Milliseconds between two looks. */
const resolutionMs = 20
const quantiles = [0.5, 0.9, 0.99, 1] as const
/** Nobody reads it any more. */
const unreadMs = 15 * 60_000

/** How late the event loop was between two readings. */
export interface LoopDelay {
  quantile: number
  seconds: number
}

/**
 * Watches how late the event loop is, from the first reading on and while somebody reads: a timer every 20 ms would keep
 * an idle processor awake for nothing.
 */
export class LoopWatch {
  #delay: IntervalHistogram | undefined
  #unread: NodeJS.Timeout | undefined

  /** What was seen since the reading before; nothing at the first. */
  read(): LoopDelay[] {
    clearTimeout(this.#unread)
    this.#unread = setTimeout(() => this.#stop(), unreadMs).unref()
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: resolutionMs })
      this.#delay.enable()
      return []
    }
    const seen = this.#delay
    const delays = seen.count === 0 ? [] : quantiles.map(quantile => delayAt(seen, quantile))
    seen.reset()
    return delays
  }

  #stop(): void {
    this.#delay?.disable()
    this.#delay = undefined
  }
}

/** The time between two looks is recorded: what is beyond the resolution is the delay. */
function delayAt(seen: IntervalHistogram, quantile: number): LoopDelay {
  const ms = seen.percentile(quantile * 100) / 1e6
  return { quantile, seconds: Math.max(0, ms - resolutionMs) / 1000 }
}

const watches = keptByDaemon<LoopWatch>()

/** The one watch of a daemon. */
export function loopWatchOf(daemon: Parameters<typeof watches.of>[0]): LoopWatch {
  return watches.ifKept(daemon) ?? watches.keep(daemon, new LoopWatch())
}
