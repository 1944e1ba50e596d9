import type { Author } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type RemovalDeps = Pick<
  Daemon,
  | 'store'
  | 'index'
  | 'transcriptIndex'
  | 'capturing'
  | 'budget'
  | 'paths'
  | 'configuration'
  | 'clock'
  | 'newId'
  | 'log'
  | 'wake'
  | 'recallRecorder'
  | 'blackBoxes'
>

/** A removal as stored in the agent's row, so the next start can resume it after a kill. */
export interface StoredRemoval {
  purge: boolean
  author: Author
}

/** A removal in progress. */
export interface Removal extends StoredRemoval {
  agent: string
  /** Lets other work run between steps. @throws AppError `mutations_frozen`, or the stop signal's reason. */
  betweenSteps(): Promise<void>
}
