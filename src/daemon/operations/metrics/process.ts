import type { Daemon } from '../../platform/daemon/daemon.js'
import { loopWatchOf } from './event-loop.js'
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
