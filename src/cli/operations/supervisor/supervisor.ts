import type { Supervision } from '../supervision.js'
import type { Command } from './run-command.js'

/** How the system itself starts the daemon of a workspace, and starts it again when it fails. */
export interface Supervisor {
  name: Supervision['name']
  /** What it calls the daemon. */
  unit: string
  file: string
  /** Of the file, as this installation writes it. */
  text: string
  /** Fails where the supervisor of this person does not answer. */
  probe: Command
  /** From a file that was written to a daemon that runs, also when it ran before. */
  install: readonly Command[]
  start: Command
  /** From a daemon that runs to one that is not started again, while the file is still there. */
  uninstall: readonly Command[]
  /** Once the file is gone. */
  afterwards: readonly Command[]
  /** Whether the daemon runs by it. */
  isActive(): Promise<boolean>
  /** What a person has to know, a line each. */
  notes(): Promise<string[]>
}

/** Stands in every file that we write. */
export const ownMark = 'Written by memory daemon install'
