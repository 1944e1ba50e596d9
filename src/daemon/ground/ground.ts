/**
 * The ground floor: what several areas of the daemon need, without knowing a use case of theirs.
 *
 * `visibility/` decides what a caller may read, `index/` keeps the search index in step with the database,
 * `embedding/` and `inference/` ask models, `extraction/` reads files into Markdown, `settings/` watches
 * agent.yaml. Areas above pass rows and callers in; conditions for SQL, hits, vectors and texts come out.
 * `Ground` below is the object with these parts. Code that only one area uses belongs in that area.
 */

import type { Logger } from 'pino'
import type { LoopBudget } from '../../lib/concurrency/loop-budget.js'
import type { Traffic } from '../../lib/concurrency/traffic.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import type { Embedder } from '../../store/embedding/embedder.js'
import type { Store } from '../../store/store.js'
import type { Extractor } from './extraction/extractor.js'
import type { MemoryIndex } from './index/memory-index.js'
import type { Inference } from './inference/inference.js'
import type { SessionCosts } from './inference/session-costs.js'
import type { BackgroundWork } from './jobs/background-work.js'
import type { JobKind } from './jobs/job-kind.js'
import type { Secrets } from './secrets/secrets.js'
import type { BlackBoxes } from './sessions/black-box.js'
import type { SettingsFile, SettingsInForce } from './settings/settings-in-force.js'
import type { WaitingSettings } from './settings/waiting-settings.js'
import type { AccessCounts } from './storage/access-counts.js'
import type { Integrity } from './storage/integrity.js'
import type { Room } from './storage/room.js'
import type { EventRecorder } from './telemetry/event-recorder.js'
import type { RecentLogs } from './telemetry/recent-logs.js'
import type { RecallRecorder } from './telemetry/recorded-recall.js'

/** What all areas stand on: the store, the index, the clock. Functions take the part they touch. */
export interface Ground {
  paths: WorkspacePaths
  /** The settings in force now; the file is re-read when it changes. */
  configuration(): SettingsInForce
  /**
   * Writes dotted keys to agent.yaml, its comments kept; they are in force when it returns. Null removes a key.
   * @throws AppError `conflict` when the file is faulty; it stays as it was.
   */
  changeSettings(values: Readonly<Record<string, unknown>>): void
  settingsFile: SettingsFile
  waitingSettings: WaitingSettings
  store: Store
  /** Takes which memories were recalled, to be written down later. */
  accessCounts: AccessCounts
  /** Takes what happens in sessions, to be written down later. */
  blackBoxes: BlackBoxes
  index: MemoryIndex
  /** Reads documents, one file after the other. */
  extractor: Extractor
  /** The embedder of the settings in force. */
  embedder(): Embedder
  /** The language model of the settings in force. */
  inference(): Inference
  /** Values by reference, and the store that holds them. */
  secrets: Secrets
  /** Wakes the worker of a kind of job. */
  wake(job: Pick<JobKind, 'kind'>): void
  /** Shares the event loop among all long background work. */
  budget: LoopBudget
  /** What a pause of the pipeline gives up. */
  background: BackgroundWork
  /** Hooks that agents wait for now. */
  hooksInFlight: Traffic
  /** All requests that somebody waits for now, but for streams. */
  requestsInFlight: Traffic
  /** Whether the disk takes writes. */
  room: Room
  /** Whether the database holds together. */
  integrity: Integrity
  clock: () => Date
  /** UUIDv7: ordered by time. */
  newId: () => string
  log: Logger
  /** The newest lines of the log. */
  recentLogs: RecentLogs
  /** Takes what happened, to be written down later; it never fails. */
  telemetry: EventRecorder
  /** Takes recalls, to be written down later where that is switched on. */
  recallRecorder: RecallRecorder
  /** What a model was asked for sessions. */
  sessionCosts: SessionCosts
  /** Environment of the process. */
  environment: NodeJS.ProcessEnv
}
