import type { Reply } from '../../../contract/api.js'
import type { MetricGroup } from '../../../contract/ground/endpoint.js'
import type { Percentiles } from '../../../contract/operations/analytics.js'
import { statusClasses } from '../../platform/counts/request-counts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'requestCounts' | 'startedAt' | 'clock'>

/** `GET /api/analytics/usage`: counts by route, never the content of requests (telemetry.md 2). */
export function usageOf({ requestCounts, startedAt, clock }: Deps): Reply<'GET /api/analytics/usage'> {
  const counted = requestCounts.endpoints().map(({ method, route, byStatus, totalMs }) => {
    const count = statusClasses.reduce((sum, word) => sum + byStatus[word], 0)
    const errors = byStatus['4xx'] + byStatus['5xx']
    return { method, route, count, errors, averageMs: Math.round((totalMs / count) * 100) / 100, byStatus }
  })
  const sumOf = (word: (typeof statusClasses)[number]): number =>
    counted.reduce((sum, { byStatus }) => sum + byStatus[word], 0)
  const byStatus = { '2xx': sumOf('2xx'), '3xx': sumOf('3xx'), '4xx': sumOf('4xx'), '5xx': sumOf('5xx') }
  return {
    since: startedAt.toISOString(),
    requests: { total: counted.reduce((sum, { count }) => sum + count, 0), byStatus },
    memory: { ...requestCounts.memory },
    injected: { ...requestCounts.injected.all(), today: requestCounts.injected.today(clock()) },
    endpoints: counted.map(({ byStatus: _byStatus, ...shown }) => shown).sort((a, b) => b.count - a.count),
  }
}

/** Latency percentiles of a group of requests, in milliseconds. */
export function percentilesOf(
  { requestCounts }: Pick<Daemon, 'requestCounts'>,
  group: MetricGroup,
): Percentiles {
  const latency = requestCounts.latency(group)
  return {
    count: latency.count,
    p50: latency.percentile(50),
    p95: latency.percentile(95),
    p99: latency.percentile(99),
  }
}
