import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import { type Metric, single } from './exposition.js'

/** The process, by the names that dashboards know. */
export function processMetrics(daemon: Pick<Daemon, 'store' | 'version' | 'startedAt'>): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    {
      name: 'memory_service_info',
      help: 'The release that runs.',
      type: 'gauge',
      samples: [{ labels: { version: daemon.version }, value: 1 }],
    },
    single(
      'gauge',
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      daemon.startedAt.getTime() / 1000,
    ),
    single(
      'counter',
      'process_cpu_seconds_total',
      'Time of processors that the process took.',
      (user + system) / 1e6,
    ),
    single('gauge', 'process_resident_memory_bytes', 'Memory that the process holds.', rss),
    single('gauge', 'nodejs_heap_size_used_bytes', 'Memory of objects of JavaScript.', heapUsed),
    {
      name: 'memory_service_event_loop_delay_seconds',
      help: 'How late the event loop was since the reading before, by quantile.',
      type: 'gauge',
      samples: loopWatchOf(daemon)
        .read()
        .map(({ quantile, seconds }) => ({ labels: { quantile: String(quantile) }, value: seconds })),
    },
    single(
      'counter',
      'memory_service_event_loop_active_seconds_total',
      'Time in which the event loop was at work.',
      performance.eventLoopUtilization().active / 1000,
    ),
  ]
}

/** Milliseconds between two looks. */
const resolutionMs = 20

const quantiles = [0.5, 0.9, 0.99, 1] as const

/** Nobody reads it any more. */
const unreadMs = 15 * 60_000

/** How late the event loop was between two readings. */
interface LoopDelay {
  quantile: number
  seconds: number
}

/**
 * Watches how late the event loop is, from the first reading on and while somebody reads: a timer every 20 ms would keep
 * an idle processor awake for nothing.
 */
class LoopWatch {
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
function loopWatchOf(daemon: Parameters<typeof watches.of>[0]): LoopWatch {
  return watches.ifKept(daemon) ?? watches.keep(daemon, new LoopWatch())
}
