import { pipelineModes } from '../../../contract/ground/pipeline-modes.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { queuesOf } from '../pipeline/status.js'
import { type Metric, singleMetric, states } from './exposition.js'

const indexSizes = [
  ['entries', 'memory_service_index_entries', 'Entries of an index.'],
  ['vectors', 'memory_service_index_vectors', 'Vectors of an index.'],
  ['terms', 'memory_service_index_terms', 'Distinct terms of an index.'],
  ['bytes', 'memory_service_index_bytes', 'Memory used by an index, in bytes.'],
] as const

/** Sizes of the search indexes. */
export async function indexMetrics(
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
export async function storeMetrics({ store, clock, room }: Daemon): Promise<Metric[]> {
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
export async function pipelineMetrics(daemon: Daemon): Promise<Metric[]> {
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
