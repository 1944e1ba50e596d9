import { latencyGroups, statusClasses } from '../../platform/counts/request-counts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Metric, Sample } from './exposition.js'

/** Requests since the start, by route, and latencies by group. */
export function requestMetrics({ requestCounts }: Pick<Daemon, 'requestCounts'>): Metric[] {
  return [
    {
      name: 'memory_service_requests_total',
      help: 'Answered requests, by route and status class.',
      type: 'counter',
      samples: requestCounts
        .endpoints()
        .flatMap(({ method, route, byStatus }) =>
          statusClasses
            .filter(status => byStatus[status] > 0)
            .map(status => ({ labels: { method, route, status }, value: byStatus[status] })),
        ),
    },
    {
      name: 'memory_service_request_duration_seconds',
      help: 'Request durations by group, without live streams.',
      type: 'histogram',
      samples: latencyGroups.flatMap(group => {
        const { buckets, count, sumMs } = requestCounts.latency(group)
        return histogram({ group }, { buckets, count, sum: sumMs / 1000 })
      }),
    },
    {
      name: 'memory_service_memory_operations_total',
      help: 'Successful memory operations.',
      type: 'counter',
      samples: Object.entries(requestCounts.memory).map(([operation, value]) => ({
        labels: { operation },
        value,
      })),
    },
  ]
}

interface Histogram {
  buckets: readonly { atMostMs: number; count: number }[]
  count: number
  sum: number
}

/** Prometheus buckets are cumulative: each includes the smaller ones. */
function histogram(labels: Record<string, string>, { buckets, count, sum }: Histogram): Sample[] {
  let upTo = 0
  const counted = buckets.map(bucket => {
    upTo += bucket.count
    return {
      suffix: '_bucket' as const,
      labels: { ...labels, le: String(bucket.atMostMs / 1000) },
      value: upTo,
    }
  })
  return [
    ...counted,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}
