import type { Author } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** What a removal works with, step by step. */
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

/** A removal as the agent's row carries it, so that a start goes on with one that a kill broke off. */
export interface StoredRemoval {
  purge: boolean
  author: Author
}

/** One agent's removal on its way. */
export interface Removal extends StoredRemoval {
  agent: string
  /** Lets others have their turn between steps. @throws AppError `mutations_frozen`, or the reason of a stop. */
  goOn(): Promise<void>
}
