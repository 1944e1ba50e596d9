import { createHistogram } from 'node:perf_hooks'
import { type EndpointShape, eventStream, type MetricGroup } from '../../../contract/ground/endpoint.js'
import { InjectedContext } from './injected-context.js'

export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
type StatusClass = (typeof statusClasses)[number]

export interface EndpointCounts {
  method: string
  /** The route's pattern, never a requested path. */
  route: string
  isMutation: boolean
  byStatus: Record<StatusClass, number>
  totalMs: number
}

/** Groups of latencies: `other` contains requests without a group. */
export const latencyGroups = ['remember', 'recall', 'mutate', 'other'] as const satisfies readonly (
  | MetricGroup
  | 'other'
)[]
type LatencyGroup = (typeof latencyGroups)[number]

export interface GroupLatency {
  count: number
  sumMs: number
  /**
   * Requests that took longer than the previous bucket and at most `atMostMs`; slower ones than the last are
   * in none.
   */
  buckets: readonly { atMostMs: number; count: number }[]
  /** Percentile in milliseconds; null before the first request. */
  percentile(percent: number): number | null
}

export interface AnsweredRequest {
  method: string
  /** Undefined for an unknown route. */
  route: string | undefined
  endpoint: Pick<EndpointShape, 'metric' | 'permission' | 'contentType'> | undefined
  status: number
  ms: number
  isTrial?: boolean
}

/** Successful memory operations. */
export interface MemoryOperations {
  remembered: number
  recalled: number
  modified: number
  forgotten: number
  recovered: number
}

/** Counts answered requests since the daemon started, never their content (telemetry.md 2). */
export class RequestCounts {
  readonly #endpoints = new Map<string, EndpointCounts>()
  readonly #groups = new Map<LatencyGroup, Latency>()
  readonly memory: MemoryOperations = { remembered: 0, recalled: 0, modified: 0, forgotten: 0, recovered: 0 }
  readonly injected = new InjectedContext()

  note({ method, route = 'unknown', endpoint, status, ms, isTrial = false }: AnsweredRequest): void {
    const counts = this.#countsOf(method, route, endpoint?.metric === 'mutate')
    counts.byStatus[classOf(status)]++
    counts.totalMs += ms
    const metric = isTrial ? undefined : endpoint?.metric
    // A stream stays open as long as its reader wants, so its duration is not counted.
    if (endpoint?.contentType !== eventStream) this.#latencyOf(metric ?? 'other').note(ms)
    if (!endpoint || !metric) return
    const operation = operationOf(metric, endpoint.permission)
    if (status < 400 && operation) this.memory[operation]++
  }

  /** Every requested endpoint, in the order of first requests. */
  endpoints(): readonly EndpointCounts[] {
    return [...this.#endpoints.values()]
  }

  latency(group: LatencyGroup): GroupLatency {
    return this.#groups.get(group) ?? new Latency()
  }

  #latencyOf(group: LatencyGroup): Latency {
    const known = this.#groups.get(group) ?? new Latency()
    this.#groups.set(group, known)
    return known
  }

  #countsOf(method: string, route: string, isMutation: boolean): EndpointCounts {
    const address = `${method} ${route}`
    const known = this.#endpoints.get(address)
    if (known) return known
    const byStatus = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
    const made = { method, route, isMutation, byStatus, totalMs: 0 }
    this.#endpoints.set(address, made)
    return made
  }
}

/** From the time of an index lookup to the time at which people give up. */
const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

class Latency implements GroupLatency {
  count = 0
  sumMs = 0
  readonly buckets = bucketsMs.map(atMostMs => ({ atMostMs, count: 0 }))
  /** Microseconds, to two digits. */
  readonly #recorded = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 2 })

  note(ms: number): void {
    this.count++
    this.sumMs += ms
    const bucket = this.buckets.find(({ atMostMs }) => ms <= atMostMs)
    if (bucket) bucket.count++
    this.#recorded.record(Math.max(1, Math.round(ms * 1000)))
  }

  percentile(percent: number): number | null {
    return this.count > 0 ? this.#recorded.percentile(percent) / 1000 : null
  }
}

function classOf(status: number): StatusClass {
  const known = statusClasses.find(word => word[0] === String(status)[0])
  return known ?? '2xx'
}

const mutations: Partial<Record<EndpointShape['permission'], keyof MemoryOperations>> = {
  modify: 'modified',
  forget: 'forgotten',
  recover: 'recovered',
}

function operationOf(
  group: MetricGroup,
  permission: EndpointShape['permission'],
): keyof MemoryOperations | undefined {
  if (group === 'mutate') return mutations[permission]
  return group === 'remember' ? 'remembered' : 'recalled'
}
