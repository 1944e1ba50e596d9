import * as diagnosticsContract from '../../contract/operations/diagnostics.js'
import { importFrom, undoImportFrom } from '../../contract/operations/import-from.js'
import * as itemsContract from '../../contract/operations/items.js'
import * as pipelineContract from '../../contract/operations/pipeline.js'
import * as projectsContract from '../../contract/operations/projects.js'
import * as recallRecordsContract from '../../contract/operations/recall-records.js'
import { replayRecalls as replayEndpoint } from '../../contract/operations/recall-records.js'
import * as repairContract from '../../contract/operations/repair/repair.js'
import * as vectors from '../../contract/operations/repair/repair.js'
import * as settingsFileContract from '../../contract/operations/settings-file.js'
import * as storageContract from '../../contract/operations/storage.js'
import * as systemContract from '../../contract/operations/system.js'
import * as telemetryContract from '../../contract/operations/telemetry/telemetry.js'
import { telemetryStats as statsContract } from '../../contract/operations/telemetry/telemetry-stats.js'
import * as timelineContract from '../../contract/operations/timeline.js'
import * as transferContract from '../../contract/operations/transfer.js'
import { elsewhere } from '../memory/recall/elsewhere.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { sweepSpool } from '../platform/http/bodies/spool.js'
import type { Worker } from '../platform/jobs/worker.js'
import { createConversionWorker, settleConversion } from './conversion/conversion-worker.js'
import { createSurveys } from './diagnostics/survey/surveys.js'
import { createRepairDesk } from './repair/run/desk.js'
import { createTelemetryWorker } from './telemetry/telemetry-worker.js'
import { createTransferThread } from './transfer/ask-transfer.js'

/** Reads and writes agent.yaml over the API (rules.md#settings). */
export const settings: Domain = {
  routes: lateRoutes(
    [settingsFileContract.readSettings, settingsFileContract.writeSettings],
    () => import('./settings/routes.js'),
  ),
}

/** Where memories are stored: the file of the workspace or a server (postgres.md). */
export const storage: Domain = {
  routes: lateRoutes(
    [
      storageContract.storageStatus,
      storageContract.checkStorage,
      storageContract.moveStorage,
      storageContract.confirmStorage,
    ],
    () => import('./storage/routes.js'),
  ),
}

/** Counts and sizes for Prometheus (metrics.md). */
export const metrics: Domain = {
  routes: lateRoutes([systemContract.metrics], () => import('./metrics/routes.js')),
}

/** The history of one memory, session, document, source or entity (timeline.md). */
export const timeline: Domain = {
  routes: lateRoutes(
    [timelineContract.timeline, timelineContract.exportTimeline],
    () => import('./timeline/routes.js'),
  ),
}

/** Status, pause and resume of the background work on conversations (operations.md 6). */
export const pipeline: Domain = {
  routes: lateRoutes(
    [pipelineContract.pipelineStatus, pipelineContract.pausePipeline, pipelineContract.resumePipeline],
    () => import('./pipeline/routes.js'),
  ),
}

/** The format of the database file and its size on disk (operations.md 6.3). */
export const conversion: Domain = {
  workers: [createConversionWorker],
  recover: daemon => settleConversion(daemon),
}

/** One search over everything that the workspace knows, and one way to open what it finds. */
export const items: Domain = {
  routes: lateRoutes([itemsContract.searchItems, itemsContract.openItem], () => import('./items/routes.js')),
  workers: [
    (daemon): Worker => {
      elsewhere.keep(daemon, async (...given) =>
        (await import('./items/search-items.js')).findElsewhere(...given),
      )
      return { start: () => undefined, close: async () => undefined }
    },
  ],
}

/** Usage events, which stay on this machine unless delivery is configured (telemetry.md 3). */
export const telemetry: Domain = {
  routes: lateRoutes(
    [
      telemetryContract.telemetryEvents,
      telemetryContract.telemetryHealth,
      statsContract,
      telemetryContract.exportTelemetry,
    ],
    () => import('./telemetry/routes.js'),
  ),
  workers: [createTelemetryWorker],
}

export const transfer: Domain = {
  routes: lateRoutes(
    [transferContract.exportMemories, transferContract.importMemories, importFrom, undoImportFrom],
    () => import('./transfer/routes.js'),
  ),
  workers: [createTransferThread],
  recover: sweepSpool,
}

/** Recorded recalls, when recording is enabled (telemetry.md 5). */
export const recallRecords: Domain = {
  routes: lateRoutes(
    [
      recallRecordsContract.listRecallRecords,
      recallRecordsContract.exportRecallRecords,
      recallRecordsContract.dropRecallRecords,
      replayEndpoint,
    ],
    () => import('./recall-records/routes.js'),
  ),
  workers: [createRecordsWorker],
}

/** Lists and changes projects (docs/projects.md). `ground/projects` resolves them in other requests. */
export const projects: Domain = {
  routes: lateRoutes(
    [
      projectsContract.listProjects,
      projectsContract.changeProject,
      projectsContract.joinProjects,
      projectsContract.splitProject,
      projectsContract.undoProjectChange,
      projectsContract.adoptProjects,
      projectsContract.forgetProject,
    ],
    () => import('./projects/routes.js'),
  ),
  recover: daemon => daemon.projects.ready(),
}

/** Health of every part with its reasons, and a view into the database (operations.md 3.1 to 3.6). */
export const diagnostics: Domain = {
  routes: lateRoutes(
    [
      diagnosticsContract.diagnosticsReport,
      diagnosticsContract.workloads,
      diagnosticsContract.transcriptCapture,
      diagnosticsContract.contentSafetyList,
      diagnosticsContract.databaseSchema,
      diagnosticsContract.tableSample,
      diagnosticsContract.diagnosticsDomain,
    ],
    () => import('./diagnostics/routes.js'),
  ),
  workers: [createSurveys],
}

/** Repairs of the database and of data derived from it (operations.md 5). */
export const repair: Domain = {
  routes: lateRoutes(
    [
      repairContract.listRepairs,
      repairContract.requeueDead,
      repairContract.releaseLeases,
      repairContract.checkFts,
      repairContract.retentionSweep,
      repairContract.embeddingGaps,
      vectors.reEmbed,
      vectors.reEmbedMigration,
      vectors.cleanOrphans,
      vectors.resyncVectors,
      repairContract.dedupStats,
      repairContract.deduplicate,
      repairContract.relinkEntities,
      repairContract.pruneGenericEntities,
    ],
    () => import('./repair/routes.js'),
  ),
  workers: [createRepairDesk],
  recoverHeld: ({ store, clock }) => store.tables.repairRuns.endOpen(clock().toISOString()),
}

/** Writes the buffered records when the daemon stops. */
function createRecordsWorker({ recallRecorder }: Pick<Daemon, 'recallRecorder'>): Worker {
  return { start: () => undefined, close: () => recallRecorder.close() }
}
