import type { Logger } from 'pino'
import type { Settings } from '../../../contract/settings.js'
import type { LoopBudget } from '../../../lib/loop-budget.js'
import type { WorkspacePaths } from '../../../lib/paths.js'
import type { SettingsProblem } from '../../../lib/settings-file.js'
import type { Store } from '../../../store/database.js'
import type { Embedder } from '../../../store/embedding/embedder.js'
import type { LiveIndex } from '../../ground/index/live-index.js'
import type { Room } from '../../ground/storage/room.js'
import type { Integrity } from '../../operations/system/integrity-watch.js'
import type { TranscriptIndex } from '../../sessions/transcripts/transcript-index.js'
import type { Auth } from '../auth/auth.js'

export interface SettingsInForce {
  settings: Settings
  problems: readonly SettingsProblem[]
}

/** What every use case works with; built once by context.ts. Use cases take the part they touch. */
export interface Daemon {
  version: string
  paths: WorkspacePaths
  startedAt: Date
  /** The settings in force now; the file is re-read when it changes. */
  configuration(): SettingsInForce
  store: Store
  index: LiveIndex
  transcriptIndex: TranscriptIndex
  /** The embedder of the settings in force. */
  embedder(): Embedder
  /** Makes a vector soon for memories that have none. */
  backfill: { wake(): void }
  /** Writes MEMORY.md soon when its job waits. */
  synthesis: { wake(): void }
  /** Shares the event loop among all that reads and captures transcripts. */
  budget: LoopBudget
  /** Captures transcripts soon that were handed over. */
  captures: { wake(): void }
  /** Whether the disk takes writes. */
  room: Pick<Room, 'problem' | 'look'>
  /** Whether the database holds together. */
  integrity: Pick<Integrity, 'problems'>
  clock: () => Date
  /** UUIDv7: ordered by time. */
  newId: () => string
  log: Logger
  auth: Auth
  /** Environment of the process. */
  environment: NodeJS.ProcessEnv
  /** Signs what this process hands out and takes back (confirm tokens); new at each start. */
  signingKey: Buffer
}
