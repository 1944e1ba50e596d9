/**
 * The ground floor: shared parts of several daemon areas, independent of their use cases.
 *
 * `visibility/` decides what a caller may read, `index/` keeps the search index in step with the database,
 * `embedding/` and `inference/` ask models, `extraction/` reads files into Markdown, `settings/` watches
 * agent.yaml. Areas above pass rows and callers in; conditions for SQL, hits, vectors and texts come out.
 * `Ground` below is the object with these parts. Code that only one area uses belongs in that area.
 */

import type { Logger } from 'pino'
import type { Traffic } from '../../lib/concurrency/in-flight.js'
import type { LoopBudget } from '../../lib/concurrency/loop-budget.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import type { Embedder } from '../../store/embedding/embedder.js'
import type { Store } from '../../store/store.js'
import type { Extractor } from './extraction/extractor.js'
import type { FollowedChanges } from './index/follow-changes.js'
import type { MemoryIndex } from './index/indexes.js'
import type { SessionCosts } from './inference/accounting.js'
import type { Inference } from './inference/inference.js'
import type { BackgroundWork } from './jobs/background-work.js'
import type { JobKind } from './jobs/job-kind.js'
import type { Projects } from './projects/projects.js'
import type { Secrets } from './secrets/secrets.js'
import type { BlackBoxes } from './sessions/black-box.js'
import type { ToolQueues } from './sessions/tool-queue.js'
import type { SettingsFile, SettingsInForce } from './settings/settings-in-force.js'
import type { WaitingSettings } from './settings/waiting-settings.js'
import type { AccessCounts } from './storage/access-counts.js'
import type { Integrity } from './storage/integrity.js'
import type { Room } from './storage/room.js'
import type { EventRecorder } from './telemetry/event-recorder.js'
import type { RecallRecorder } from './telemetry/late-writer.js'
import type { RecentLogs } from './telemetry/recent-logs.js'

/** The parts all areas use, such as store, index and clock. Functions accept only the parts they need. */
export interface Ground {
  paths: WorkspacePaths
  /** The current settings; agent.yaml is re-read when it changes. */
  configuration(): SettingsInForce
  /**
   * Writes dotted keys to agent.yaml, keeping its comments, and applies them before it resolves. Null removes
   * a key.
   * @throws AppError `conflict` when the file is invalid; it is left unchanged.
   */
  changeSettings(values: Readonly<Record<string, unknown>>): Promise<void>
  settingsFile: SettingsFile
  waitingSettings: WaitingSettings
  store: Store
  /** Counts recalls of memories, written later. */
  accessCounts: AccessCounts
  /** Buffers session events, written later. */
  blackBoxes: BlackBoxes
  /** Uses of tools that hooks note while sessions run. */
  toolQueues: ToolQueues
  index: MemoryIndex
  /** Present where other daemons serve the same database. */
  changes?: FollowedChanges | undefined
  /** Resolves projects by key, name, folder or remote. */
  projects: Projects
  /** Reads documents, one file at a time. */
  extractor: Extractor
  /** The embedder of the current settings. */
  embedder(): Embedder
  /** The language model of the current settings. */
  inference(): Inference
  /** Resolves secret references, and stores secrets. */
  secrets: Secrets
  /** Wakes the worker of a kind of job. @param subject that needs no job, unless a first attempt fails */
  wake(job: Pick<JobKind, 'kind'>, subject?: string): void
  /** Shares the event loop among all long background work. */
  budget: LoopBudget
  /** Work that a pause of Dreaming aborts. */
  background: BackgroundWork
  /** Hooks that agents are currently waiting for. */
  hooksInFlight: Traffic
  /** All requests in progress, except streams. */
  requestsInFlight: Traffic
  /** True if the disk accepts writes. */
  room: Room
  /** True if the database is intact. */
  integrity: Integrity
  clock: () => Date
  /** UUIDv7: ordered by time. */
  newId: () => string
  log: Logger
  /** The newest log lines. */
  recentLogs: RecentLogs
  /** Buffers events, written later; never fails. */
  telemetry: EventRecorder
  /** Buffers recalls, written later if recording is enabled. */
  recallRecorder: RecallRecorder
  /** Model costs of sessions. */
  sessionCosts: SessionCosts
  /** Environment of the process. */
  environment: NodeJS.ProcessEnv
}
