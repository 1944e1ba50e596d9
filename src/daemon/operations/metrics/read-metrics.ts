import { breakerStates } from '../../../lib/concurrency/breaker.js'
import { embedderStates } from '../../../store/embedding/embedder.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { indexMetrics, pipelineMetrics, storeMetrics } from './contents.js'
import { exposition, type Metric, type Sample, singleMetric, states } from './exposition.js'
import { processMetrics } from './process.js'
import { requestMetrics } from './requests.js'

const parts: Readonly<Record<string, (daemon: Daemon) => Metric[] | Promise<Metric[]>>> = {
  process: processMetrics,
  requests: requestMetrics,
  providers: providerMetrics,
  indexes: indexMetrics,
  store: storeMetrics,
  pipeline: pipelineMetrics,
}

/**
 * `GET /metrics` (metrics.md): a part that fails, as with a damaged database, is reported and doesn't hide
 * the others.
 */
export async function readMetrics(daemon: Daemon): Promise<string> {
  const metrics: Metric[] = []
  const failed: Sample[] = []
  for (const [part, read] of Object.entries(parts)) {
    try {
      metrics.push(...(await read(daemon)))
      failed.push({ labels: { part }, value: 0 })
    } catch (error) {
      daemon.log.warn({ err: error, part }, 'part of the metrics not read')
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

/** Availability and load of the embedding provider and the language model. */
function providerMetrics({
  embedder,
  inference,
  mcpRequests,
}: Pick<Daemon, 'embedder' | 'inference' | 'mcpRequests'>): Metric[] {
  const embedding = embedder().status()
  const { breaker, inFlight, waiting } = inference().state()
  return [
    singleMetric(
      'gauge',
      'memory_service_embedding_available',
      '1 when the embedding provider is available.',
      embedding.available ? 1 : 0,
    ),
    {
      name: 'memory_service_embedding_state',
      help: '1 for the current state of the embedding provider; failing means an open breaker.',
      type: 'gauge',
      samples: states('state', embedderStates, embedding.state),
    },
    {
      name: 'memory_service_inference_breaker',
      help: '1 for the current breaker state of the language model.',
      type: 'gauge',
      samples: states('state', breakerStates, breaker.state),
    },
    singleMetric(
      'gauge',
      'memory_service_inference_in_flight',
      'Language model requests in progress.',
      inFlight,
    ),
    singleMetric('gauge', 'memory_service_inference_waiting', 'Language model requests waiting.', waiting),
    singleMetric(
      'gauge',
      'memory_service_mcp_in_flight',
      'MCP requests in progress.',
      mcpRequests.all().length,
    ),
  ]
}
