import type { Daemon } from '../../platform/daemon/daemon.js'
import { indexMetrics, pipelineMetrics, storeMetrics } from './contents.js'
import { exposition, type Metric, type Sample } from './exposition.js'
import { processMetrics } from './process.js'
import { providerMetrics } from './providers.js'
import { requestMetrics } from './requests.js'

const parts: Readonly<Record<string, (daemon: Daemon) => Metric[] | Promise<Metric[]>>> = {
  process: processMetrics,
  requests: requestMetrics,
  providers: providerMetrics,
  indexes: indexMetrics,
  store: storeMetrics,
  pipeline: pipelineMetrics,
}

/** `GET /metrics` (metrics.md): a part that fails, as in a damaged database, is told and hides no other. */
export async function readMetrics(daemon: Daemon): Promise<string> {
  const metrics: Metric[] = []
  const failed: Sample[] = []
  for (const [part, read] of Object.entries(parts)) {
    try {
      metrics.push(...(await read(daemon)))
      failed.push({ labels: { part }, value: 0 })
    } catch (error) {
      daemon.log.warn({ err: error, part }, 'metrics not read')
      failed.push({ labels: { part }, value: 1 })
    }
  }
  metrics.push({
    name: 'memory_service_metrics_failed',
    help: '1 for a part of these metrics that could not be read.',
    type: 'gauge',
    samples: failed,
  })
  return exposition(metrics)
}
