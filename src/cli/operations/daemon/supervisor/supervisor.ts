import { createHash } from 'node:crypto'
import { delimiter, isAbsolute, join } from 'node:path'
import daemonEnvironment from '../../../../../bin/daemon-environment.json' with { type: 'json' }
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import type { Command } from './run-command.js'

/** What `daemon status` tells of it. */
export interface Supervision {
  name: 'systemd' | 'launchd'
  unit: string
  file: string
  active: boolean
  /** The file is what this installation would write now. */
  current: boolean
}

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

/** What a supervisor calls the daemon: each workspace has one of its own. */
export function unitName({ workspace: { root }, home }: Machine): string {
  if (root === join(home, '.memory-service')) return 'memory-service'
  return `memory-service-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`
}

/** The program and its arguments, by full paths: a supervisor knows no PATH of a terminal. */
export function daemonWords({ node, packageRoot }: Machine): string[] {
  return [node, join(packageRoot, 'bin', 'run.js'), 'daemon', 'run', '--supervised']
}

/**
 * What the daemon gets beside the few variables of a supervisor: its own, its workspace, and the PATH of this terminal, on which
 * coding agents and password managers are found. Other variables may be secrets, and belong into agent.yaml.
 */
export function supervisedEnvironment({ env, workspace: { root } }: Machine): Record<string, string> {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const lasting = folders.filter(folder => !/[\\/]node_modules[\\/]\.bin[\\/]?$/u.test(folder))
  return { ...daemonEnvironment, SERVICE_WORKSPACE: root, PATH: [...new Set(lasting)].join(delimiter) }
}
