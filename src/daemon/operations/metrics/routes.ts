import { pipelineModes } from '../../../contract/ground/wire-names.js'
import * as contract from '../../../contract/operations/system.js'
import { breakerStates } from '../../../lib/concurrency/breaker.js'
import { embedderStates } from '../../../store/embedding/embedder.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import { latencyGroups, statusClasses } from '../../platform/counts/request-counts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { queuesOf } from '../pipeline/status.js'
import { exposition, type Metric, processMetrics, type Sample, singleMetric, states } from './process.js'

const indexSizes = [
  ['entries', 'memory_service_index_entries', 'Entries of an index.'],
  ['vectors', 'memory_service_index_vectors', 'Vectors of an index.'],
  ['terms', 'memory_service_index_terms', 'Distinct terms of an index.'],
  ['bytes', 'memory_service_index_bytes', 'Memory used by an index, in bytes.'],
] as const

const parts: Readonly<Record<string, (daemon: Daemon) => Metric[] | Promise<Metric[]>>> = {
  process: processMetrics,
  requests: requestMetrics,
  providers: providerMetrics,
  indexes: indexMetrics,
  store: storeMetrics,
  pipeline: pipelineMetrics,
}

export const routes = [route(contract.metrics, daemon => readMetrics(daemon))]

/** Sizes of the search indexes. */
async function indexMetrics(
  daemon: Pick<Daemon, 'index' | 'transcriptIndex' | 'artifactIndex'>,
): Promise<Metric[]> {
  const indexes = await Promise.all(
    Object.entries({
      memories: daemon.index,
      transcripts: daemon.transcriptIndex,
      artifacts: daemon.artifactIndex,
    }).map(async ([index, one]) => ({ index, stats: await one.stats() })),
  )
  const sizes = indexSizes.map(
    ([size, name, help]): Metric => ({
      name,
      help,
      type: 'gauge',
      samples: indexes.map(({ index, stats }) => ({ labels: { index }, value: stats[size] })),
    }),
  )
  const ready: Metric = {
    name: 'memory_service_index_ready',
    help: '1 when an index is complete, 0 while it is rebuilt.',
    type: 'gauge',
    samples: indexes.map(({ index, stats }) => ({
      labels: { index },
      value: stats.state === 'ready' ? 1 : 0,
    })),
  }
  return [...sizes, ready]
}

/** Counts of stored memories and live sessions. */
async function storeMetrics({ store, clock, room }: Daemon): Promise<Metric[]> {
  const { memories, sessions } = store.tables
  const since = liveSessionCutoff(clock())
  return [
    singleMetric(
      'gauge',
      'memory_service_memories',
      'Memories that are not deleted.',
      await memories.countAlive(),
    ),
    singleMetric('gauge', 'memory_service_sessions_live', 'Live sessions.', await sessions.countLive(since)),
    singleMetric(
      'gauge',
      'memory_service_sessions_bypassed',
      'Live sessions that are bypassed.',
      await sessions.countBypassed(since),
    ),
    singleMetric(
      'gauge',
      'memory_service_storage_writable',
      '0 while the disk is full or refuses writes.',
      room.problem() === undefined ? 1 : 0,
    ),
  ]
}

/** Background queues and the pipeline mode. */
async function pipelineMetrics(daemon: Daemon): Promise<Metric[]> {
  const queues = Object.entries(await queuesOf(daemon))
  const { settings } = daemon.configuration()
  return [
    {
      name: 'memory_service_jobs',
      help: 'Jobs by queue and state; failed counts the pending ones that wait for a retry.',
      type: 'gauge',
      samples: queues.flatMap(([queue, counts]) =>
        Object.entries(counts).map(([state, value]) => ({ labels: { queue, state }, value })),
      ),
    },
    {
      name: 'memory_service_pipeline_mode',
      help: '1 for the current pipeline mode.',
      type: 'gauge',
      samples: states('mode', pipelineModes, pipelineMode(settings)),
    },
  ]
}

/**
 * `GET /metrics` (metrics.md): a part that fails, as with a damaged database, is reported and doesn't hide
 * the others.
 */
async function readMetrics(daemon: Daemon): Promise<string> {
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

/** Requests since the start, by route, and latencies by group. */
function requestMetrics({ requestCounts }: Pick<Daemon, 'requestCounts'>): Metric[] {
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
