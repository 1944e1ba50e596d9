import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'

/** One value of a metric; `suffix` marks the parts of a histogram. */
export interface Sample {
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Readonly<Record<string, string>>
  value: number
}

/** A metric with all its values; HELP and TYPE are written even without values. */
export interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

/** Process metrics under the standard names that dashboards expect. */
export function processMetrics(daemon: Pick<Daemon, 'store' | 'version' | 'startedAt'>): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    {
      name: 'memory_service_info',
      help: 'Running release.',
      type: 'gauge',
      samples: [{ labels: { version: daemon.version }, value: 1 }],
    },
    singleMetric(
      'gauge',
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      daemon.startedAt.getTime() / 1000,
    ),
    singleMetric(
      'counter',
      'process_cpu_seconds_total',
      'CPU time used by the process.',
      (user + system) / 1e6,
    ),
    singleMetric('gauge', 'process_resident_memory_bytes', 'Resident memory of the process.', rss),
    singleMetric('gauge', 'nodejs_heap_size_used_bytes', 'JavaScript heap in use.', heapUsed),
    {
      name: 'memory_service_event_loop_delay_seconds',
      help: 'Event loop delay since the previous scrape, by quantile.',
      type: 'gauge',
      samples: loopWatchOf(daemon)
        .read()
        .map(({ quantile, seconds }) => ({ labels: { quantile: String(quantile) }, value: seconds })),
    },
    singleMetric(
      'counter',
      'memory_service_event_loop_active_seconds_total',
      'Time the event loop was active.',
      performance.eventLoopUtilization().active / 1000,
    ),
  ]
}

/** Milliseconds between two samples of the delay. */
const resolutionMs = 20

const quantiles = [0.5, 0.9, 0.99, 1] as const

/** After this time without a scrape, sampling stops. */
const unreadMs = 15 * 60_000

/** Delay of the event loop between two scrapes. */
interface LoopDelay {
  quantile: number
  seconds: number
}

/**
 * Samples the event loop's delay from the first scrape on, and only while metrics are scraped: a timer every
 * 20 ms would keep an idle processor awake.
 */
class LoopWatch {
  #delay: IntervalHistogram | undefined
  #unread: NodeJS.Timeout | undefined

  /** Delays since the previous scrape; none at the first. */
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

/** The histogram records the time between samples, so the delay is what exceeds the resolution. */
function delayAt(seen: IntervalHistogram, quantile: number): LoopDelay {
  const ms = seen.percentile(quantile * 100) / 1e6
  return { quantile, seconds: Math.max(0, ms - resolutionMs) / 1000 }
}

const watches = createDaemonState<LoopWatch>()

function loopWatchOf(daemon: Parameters<typeof watches.of>[0]): LoopWatch {
  return watches.ifKept(daemon) ?? watches.keep(daemon, new LoopWatch())
}

/** Renders metrics in the Prometheus text format, version 0.0.4. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('')
}

/** A metric with one value and no labels. */
export function singleMetric(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { name, help, type, samples: [{ value }] }
}

/** One sample per state: 1 for the current state, 0 for the others. */
export function states<S extends string>(label: string, all: readonly S[], holding: S): Sample[] {
  return all.map(state => ({ labels: { [label]: state }, value: state === holding ? 1 : 0 }))
}

function metricText({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labels ? labelText(labels) : ''} ${number(value)}`,
  )
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"]/gu, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
