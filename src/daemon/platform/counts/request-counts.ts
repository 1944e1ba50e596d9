import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { EndpointShape, MetricGroup } from '../../../contract/ground/endpoint.js'

/** Latency groups: those of the contract, and all else. */
export const latencyGroups = ['remember', 'recall', 'mutate', 'other'] as const
export type LatencyGroup = (typeof latencyGroups)[number]

/** Upper ends of what is counted for Prometheus, in seconds. */
export const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** `2xx` and alike, as replies are counted. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
export type StatusClass = (typeof statusClasses)[number]

export interface EndpointCounts {
  method: string
  /** Its pattern, never a path that was asked for. */
  route: string
  /** Whether it changes memories that are there. */
  isMutation: boolean
  byStatus: Record<StatusClass, number>
  totalMs: number
}

export interface GroupLatency {
  count: number
  totalMs: number
  /** How many took no longer than each of `latencyBounds`, each counted once. */
  buckets: readonly number[]
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

  note({ method, route = 'unknown', endpoint, status, ms }: AnsweredRequest): void {
    const counts = this.#countsOf(method, route, endpoint?.metric === 'mutate')
    counts.byStatus[classOf(status)]++
    counts.totalMs += ms
    // A stream of events lasts as long as its reader likes.
    if (endpoint?.contentType !== 'text/event-stream') this.#latencyOf(endpoint?.metric ?? 'other').note(ms)
    const operation = status < 400 ? operationOf(endpoint) : undefined
    if (operation) this.memory[operation]++
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

class Latency implements GroupLatency {
  count = 0
  totalMs = 0
  readonly buckets: number[] = latencyBounds.map(() => 0)
  /** Microseconds, to two figures. */
  #recorded: RecordableHistogram | undefined

  note(ms: number): void {
    this.count++
    this.totalMs += ms
    const bucket = latencyBounds.findIndex(bound => ms <= bound * 1000)
    if (bucket >= 0) this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.#recorded ??= createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 2 })
    this.#recorded.record(Math.max(1, Math.round(ms * 1000)))
  }

  percentile(percent: number): number | null {
    return this.#recorded ? this.#recorded.percentile(percent) / 1000 : null
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

function operationOf(endpoint: AnsweredRequest['endpoint']): keyof MemoryOperations | undefined {
  const byGroup: Record<MetricGroup, keyof MemoryOperations | undefined> = {
    remember: 'remembered',
    recall: 'recalled',
    mutate: endpoint && mutations[endpoint.permission],
  }
  return endpoint?.metric && byGroup[endpoint.metric]
}
