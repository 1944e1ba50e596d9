import { createHistogram } from 'node:perf_hooks'
import { type EndpointShape, eventStream, type MetricGroup } from '../../../contract/ground/endpoint.js'
import type { Day } from '../../../contract/operations/analytics.js'
import { isKnownHarness } from '../../../lib/workspace/harness-files.js'

/** Counts of context injected into sessions; tokens as budgets count them. */
interface InjectedCounts {
  starts: number
  prompts: number
  tokens: number
}

/** Today's counts, by the local date of this machine. */
interface InjectedToday {
  /** ISO time at which counting began: midnight, unless the daemon has been counting only since later. */
  since: string
  byHarness: (InjectedCounts & { harness: string })[]
}

/** Today's counts as saved for the next start. */
interface SavedInjections extends InjectedToday {
  day: string
}

/** Unknown harness names come from callers, so they are counted together and not shown (telemetry.md 2). */
const others = 'others'

type DayCounts = Omit<Day, 'day'>

/** Days that are kept. */
const maxDays = 90

/** Counts by day over restarts, never contents (telemetry.md 2). */
export class DailyCounts {
  readonly #days = new Map<string, DayCounts>()

  note(counts: Partial<DayCounts>, now: Date): void {
    this.#add(localDay(now), counts)
    for (const day of this.#days.keys()) if (this.#days.size > maxDays) this.#days.delete(day)
  }

  /** The last days, oldest first; days without anything have zeros. @param count at most 90 */
  last(count: number, now: Date): Day[] {
    return Array.from({ length: count }, (_none, index) => {
      const day = localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index)))
      return { day, ...(this.#days.get(day) ?? noCounts()) }
    })
  }

  kept(): Day[] {
    return [...this.#days].map(([day, counts]) => ({ day, ...counts }))
  }

  /** Continues with the days of an earlier run; what was counted since the start is added. */
  goOn(saved: readonly Day[]): void {
    const own = this.kept()
    this.#days.clear()
    for (const { day, ...counts } of [...saved, ...own]) this.#add(day, counts)
  }

  #add(day: string, counts: Partial<DayCounts>): void {
    const sums = this.#days.get(day) ?? noCounts()
    for (const [name, count] of Object.entries(counts)) sums[name as keyof DayCounts] += count
    this.#days.set(day, sums)
  }
}

const noCounts = (): DayCounts => ({
  saved: 0,
  recalls: 0,
  found: 0,
  recallMs: 0,
  starts: 0,
  prompts: 0,
  tokens: 0,
  leftOut: 0,
})

const nothing = (): InjectedCounts => ({ starts: 0, prompts: 0, tokens: 0 })

/** Context injected since the daemon started, and today by harness. */
export class InjectedContext {
  readonly #all = nothing()
  #day = ''
  #since = ''
  #today = new Map<string, InjectedCounts>()
  readonly #daily: DailyCounts

  constructor(daily = new DailyCounts()) {
    this.#daily = daily
  }

  /** Counts one injection, unless it was empty. @param at kind of injection */
  note(at: 'starts' | 'prompts', tokens: number, { harness, now }: { harness: string; now: Date }): void {
    if (tokens === 0) return
    this.#turnTo(now)
    this.#daily.note({ [at]: 1, tokens }, now)
    for (const counts of [this.#all, this.#of(harness)]) {
      counts[at]++
      counts.tokens += tokens
    }
  }

  all(): InjectedCounts {
    return { ...this.#all }
  }

  /** Sorted by tokens, most first. */
  today(now: Date): InjectedToday {
    this.#turnTo(now)
    const byHarness = [...this.#today]
      .map(([harness, counts]) => ({ harness, ...counts }))
      .sort((a, b) => b.tokens - a.tokens)
    return { since: this.#since, byHarness }
  }

  kept(now: Date): SavedInjections {
    return { ...this.today(now), day: this.#day }
  }

  /**
   * Continues with saved counts. When they are from another day, today's counting is complete since midnight.
   */
  goOn({ day, since, byHarness }: SavedInjections, now: Date): void {
    this.#turnTo(now)
    this.#since = day === this.#day ? since : midnightOf(now)
    if (day !== this.#day) return
    for (const { harness, starts, prompts, tokens } of byHarness) {
      const counts = this.#of(harness)
      counts.starts += starts
      counts.prompts += prompts
      counts.tokens += tokens
    }
  }

  #of(harness: string): InjectedCounts {
    const name = isKnownHarness(harness) ? harness : others
    const own = this.#today.get(name) ?? nothing()
    this.#today.set(name, own)
    return own
  }

  #turnTo(now: Date): void {
    const day = now.toDateString()
    if (day === this.#day) return
    this.#since = this.#day === '' ? now.toISOString() : midnightOf(now)
    this.#day = day
    this.#today = new Map()
  }
}

function midnightOf(now: Date): string {
  return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString()
}

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
  at: Date
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
  readonly daily = new DailyCounts()
  readonly injected = new InjectedContext(this.daily)

  note({ method, route = 'unknown', endpoint, status, ms, at, isTrial = false }: AnsweredRequest): void {
    const counts = this.#countsOf(method, route, endpoint?.metric === 'mutate')
    counts.byStatus[classOf(status)]++
    counts.totalMs += ms
    const metric = isTrial ? undefined : endpoint?.metric
    // A stream stays open as long as its reader wants, so its duration is not counted.
    if (endpoint?.contentType !== eventStream) this.#latencyOf(metric ?? 'other').note(ms)
    if (!endpoint || !metric) return
    const operation = operationOf(metric, endpoint.permission)
    if (status >= 400 || !operation) return
    this.memory[operation]++
    if (operation === 'remembered') this.daily.note({ saved: 1 }, at)
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

function localDay(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}
