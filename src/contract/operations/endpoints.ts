import type { EndpointShape } from '../ground/endpoint.js'
import * as analytics from './analytics.js'
import * as backup from './backup.js'
import * as diagnostics from './diagnostics.js'
import * as git from './git.js'
import * as programs from './import-from.js'
import * as items from './items.js'
import * as logs from './logs.js'
import * as pipeline from './pipeline.js'
import * as projects from './projects.js'
import * as recallRecords from './recall-records.js'
import * as repair from './repair/repair.js'
import * as repairVectors from './repair/repair.js'
import * as settingsFile from './settings-file.js'
import * as storage from './storage.js'
import * as sync from './sync.js'
import * as system from './system.js'
import * as telemetry from './telemetry/telemetry.js'
import { telemetryStats } from './telemetry/telemetry-stats.js'
import * as timeline from './timeline.js'
import * as transfer from './transfer.js'
import * as updates from './updates.js'

/** Endpoints of the process itself, diagnostics, backups, repairs, telemetry and transfers. */
export const operationsEndpoints = [
  projects.listProjects,
  projects.changeProject,
  projects.joinProjects,
  projects.splitProject,
  projects.undoProjectChange,
  projects.adoptProjects,
  projects.forgetProject,
  system.health,
  system.ready,
  system.status,
  system.openapi,
  system.docs,
  system.shutdown,
  system.pullModel,
  storage.storageStatus,
  storage.checkStorage,
  storage.moveStorage,
  storage.confirmStorage,
  settingsFile.readSettings,
  settingsFile.writeSettings,
  diagnostics.diagnosticsReport,
  diagnostics.workloads,
  diagnostics.transcriptCapture,
  diagnostics.contentSafetyList,
  diagnostics.databaseSchema,
  diagnostics.tableSample,
  diagnostics.diagnosticsDomain,
  backup.listBackups,
  backup.createBackup,
  backup.verifyBackup,
  backup.verifyArchive,
  backup.restoreBackup,
  backup.restoreArchive,
  backup.undoRestore,
  git.gitStatus,
  git.gitPull,
  git.gitPush,
  git.gitSync,
  git.gitInit,
  git.getGitConfig,
  git.setGitConfig,
  git.readWaitingSettings,
  git.decideWaitingSettings,
  sync.syncStatus,
  sync.initSync,
  sync.joinSync,
  sync.approveSync,
  sync.runSync,
  sync.pauseSync,
  sync.revokeDevice,
  sync.recoverSync,
  sync.leaveSync,
  sync.listBox,
  sync.getBoxed,
  sync.putBoxed,
  sync.removeBoxed,
  analytics.usage,
  analytics.days,
  analytics.latency,
  analytics.errors,
  analytics.memorySafety,
  analytics.continuity,
  analytics.latestContinuity,
  logs.listLogs,
  logs.streamLogs,
  system.metrics,
  items.searchItems,
  items.openItem,
  timeline.timeline,
  timeline.exportTimeline,
  repair.listRepairs,
  repair.requeueDead,
  repair.releaseLeases,
  repair.checkFts,
  repair.retentionSweep,
  repair.embeddingGaps,
  repairVectors.reEmbed,
  repairVectors.reEmbedMigration,
  repairVectors.cleanOrphans,
  repairVectors.resyncVectors,
  repair.dedupStats,
  repair.deduplicate,
  repair.relinkEntities,
  repair.pruneGenericEntities,
  pipeline.pipelineStatus,
  pipeline.pausePipeline,
  pipeline.resumePipeline,
  telemetry.telemetryEvents,
  telemetry.telemetryHealth,
  telemetryStats,
  telemetry.exportTelemetry,
  recallRecords.listRecallRecords,
  recallRecords.exportRecallRecords,
  recallRecords.dropRecallRecords,
  recallRecords.replayRecalls,
  transfer.exportMemories,
  transfer.importMemories,
  programs.importFrom,
  programs.undoImportFrom,
  updates.checkUpdate,
  updates.getUpdateConfig,
  updates.setUpdateConfig,
  updates.runUpdate,
] as const satisfies readonly EndpointShape[]
