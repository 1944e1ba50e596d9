import { createHistogram } from 'node:perf_hooks'
import { type EndpointShape, eventStream, type MetricGroup } from '../../../contract/ground/endpoint.js'
import { InjectedContext } from './injected-context.js'

/** `2xx` and alike, as replies are counted. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
type StatusClass = (typeof statusClasses)[number]

export interface EndpointCounts {
  method: string
  /** Its pattern, never a path that was asked for. */
  route: string
  /** Whether it changes memories that are there. */
  isMutation: boolean
  byStatus: Record<StatusClass, number>
  totalMs: number
}

/** What latencies are told by: `other` are the requests of no group. */
export const latencyGroups = ['remember', 'recall', 'mutate', 'other'] as const satisfies readonly (
  | MetricGroup
  | 'other'
)[]
type LatencyGroup = (typeof latencyGroups)[number]

/** How long the requests of a group took. */
export interface GroupLatency {
  count: number
  sumMs: number
  /** How many took longer than the bucket before and at most so long; what took longer than all is in none. */
  buckets: readonly { atMostMs: number; count: number }[]
  /** Milliseconds that so many of a hundred took at most; null before the first. */
  percentile(percent: number): number | null
}

/** What is known of a request that was answered. */
export interface AnsweredRequest {
  method: string
  /** Undefined where there is no such route. */
  route: string | undefined
  endpoint: Pick<EndpointShape, 'metric' | 'permission' | 'contentType'> | undefined
  status: number
  ms: number
  isTrial?: boolean
}

/** Memory operations that succeeded. */
export interface MemoryOperations {
  remembered: number
  recalled: number
  modified: number
  forgotten: number
  recovered: number
}

/** Counts of answered requests since the daemon started; nothing of what was asked (telemetry.md 2). */
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
    // A stream goes on as long as its reader wants.
    if (endpoint?.contentType !== eventStream) this.#latencyOf(metric ?? 'other').note(ms)
    if (!endpoint || !metric) return
    const operation = operationOf(metric, endpoint.permission)
    if (status < 400 && operation) this.memory[operation]++
  }

  /** Each endpoint that was asked, in the order of first requests. */
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

/** From what an index answers to what a person gives up at. */
const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

class Latency implements GroupLatency {
  count = 0
  sumMs = 0
  readonly buckets = bucketsMs.map(atMostMs => ({ atMostMs, count: 0 }))
  /** Microseconds, to two figures. */
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
