import {
  type PipelineStatus,
  type QueueCounts,
  type QueueName,
  queueNames,
} from '../../../contract/operations/pipeline.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import { pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { codeIndexJob } from '../../knowledge/code/index-runs.js'
import { ingestJob } from '../../knowledge/documents/job.js'
import { dreamingJob } from '../../knowledge/dreaming/schedule/dreaming-worker.js'
import { chunkVectorsJob } from '../../knowledge/sources/core/embed-chunks.js'
import { importJob } from '../../knowledge/transcript-import/import-worker.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { captureJob } from '../../sessions/capture/capture-worker.js'
import { synthesisJob } from '../../sessions/synthesis/synthesis-worker.js'
import { conversionOf } from '../conversion/conversion-worker.js'
import { lastHealth } from '../diagnostics/health.js'
import { diagnosticsReport } from '../diagnostics/report.js'

/** `GET /api/pipeline/status` (operations.md 6.1). */
export async function statusOf(daemon: Daemon, caller: Caller): Promise<PipelineStatus> {
  const reports = daemon.jobReports()
  const running = daemon.isAtWork()
  const workers: PipelineStatus['workers'] = {}
  const latency: PipelineStatus['latency'] = {}
  const byStage: Record<string, number> = {}
  for (const { kind, worker } of reportedKinds) {
    const report = reports.get(kind)
    if (!report) continue
    const { inFlight, maxInFlight, failures } = report
    workers[worker] = { running, inFlight, maxInFlight }
    latency[worker] = report.latency
    if (failures > 0) byStage[worker] = failures
  }
  return {
    mode: pipelineMode(daemon.configuration().settings),
    workers,
    databaseMaintenance: { vacuumConversion: await conversionOf(daemon) },
    queues: daemon.isStopping() ? noQueues() : await queuesOf(daemon),
    diagnostics: await healthOf(daemon, caller),
    latency,
    errorSummary: { total: Object.values(byStage).reduce((sum, count) => sum + count, 0), byStage },
  }
}

/** While the daemon stops, its rows are no longer read. */
async function healthOf(daemon: Daemon, caller: Caller): Promise<PipelineStatus['diagnostics']> {
  const { score, status } = daemon.isStopping()
    ? (lastHealth(daemon) ?? { score: 1, status: 'healthy' })
    : (await diagnosticsReport(daemon, caller, { refresh: false })).composite
  return { score, status }
}

type Queues = Record<QueueName, QueueCounts>

function noQueues(): Queues {
  return Object.fromEntries(queueNames.map(name => [name, {}])) as Queues
}

/** Job counts of each queue by state. */
export async function queuesOf({ store }: Pick<Daemon, 'store'>): Promise<Queues> {
  const { jobs } = store.tables
  const counted = await jobs.countByState(reportedKinds.map(({ kind }) => kind))
  const queues = queueNames.map(async name => {
    const counts = { pending: 0, leased: 0, completed: 0, failed: 0, dead: 0 }
    for (const { kind } of reportedKinds.filter(({ queue }) => queue === name)) {
      for (const { status, count } of counted.filter(one => one.kind === kind))
        counts[status as keyof typeof counts] += count
      counts.failed += await jobs.countRetried(kind)
    }
    return [name, counts] as const
  })
  return Object.fromEntries(await Promise.all(queues)) as Queues
}

/** The worker and queue under which jobs of a kind are reported (operations.md 6.1). */
interface ReportedKind {
  kind: string
  worker: string
  queue: QueueName
}

export const reportedKinds: readonly ReportedKind[] = [
  { kind: embedJob.kind, worker: 'embedding', queue: 'memory' },
  { kind: dreamingJob.kind, worker: 'dreaming', queue: 'memory' },
  { kind: captureJob.kind, worker: 'capture', queue: 'capture' },
  { kind: synthesisJob.kind, worker: 'synthesis', queue: 'summary' },
  { kind: ingestJob.kind, worker: 'document', queue: 'document' },
  { kind: chunkVectorsJob.kind, worker: 'source', queue: 'source' },
  { kind: codeIndexJob.kind, worker: 'code', queue: 'source' },
  { kind: importJob.kind, worker: 'import', queue: 'import' },
]
