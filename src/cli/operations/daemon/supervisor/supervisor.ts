import { createHash } from 'node:crypto'
import { delimiter, isAbsolute, join } from 'node:path'
import daemonEnvironment from '../../../../../bin/daemon-environment.json' with { type: 'json' }
import { lastingFolder } from '../../../../lib/files/package-root.js'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import type { Command } from './run-command.js'

/** Supervision as `daemon status` reports it. */
export interface Supervision {
  name: 'systemd' | 'launchd' | 'Startup folder'
  unit: string
  file: string
  active: boolean
  /** True if the file equals what this installation would write now. */
  current: boolean
}

/** System service that starts the daemon of a workspace and restarts it after failures. */
export interface Supervisor {
  name: Supervision['name']
  /** Name of the daemon in the supervisor. */
  unit: string
  file: string
  /** Content of the file as this installation writes it. */
  text: string
  /** Fails if the supervisor of this user does not answer. */
  probe: Command
  /** Activates a written file and starts the daemon, or restarts a running one. */
  install: readonly Command[]
  start: Command
  /** Stops the daemon and prevents its restart, while the file still exists. */
  uninstall: readonly Command[]
  /** Runs after the file was deleted. */
  afterwards: readonly Command[]
  /** Returns true if the daemon was started by this supervisor and runs. */
  isActive(): Promise<boolean>
  /** Notes for the user, one per line. */
  notes(): Promise<string[]>
}

/** Appears in every file that we write. */
export const ownMark = 'Written by memory daemon install'

/** Returns the supervisor's name for the daemon, unique for each workspace. */
export function unitName({ workspace: { root }, home }: Machine): string {
  if (root === join(home, '.memory-service')) return 'memory-service'
  return `memory-service-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`
}

/**
 * Returns the program and its arguments with full paths, because a supervisor lacks the PATH of a terminal.
 */
export function daemonWords({ node, packageRoot }: Machine): string[] {
  return [node, join(packageRoot, 'bin', 'run.js'), 'daemon', 'run', '--supervised']
}

/**
 * Returns the variables of a supervised daemon: its own, its workspace, and the PATH of this terminal, which
 * leads to coding agents and password managers. Other variables may be secrets and belong in agent.yaml.
 */
export function supervisedEnvironment({ env, workspace: { root } }: Machine): Record<string, string> {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const lasting = folders.flatMap(folder => lastingFolder(folder) ?? [])
  return { ...daemonEnvironment, SERVICE_WORKSPACE: root, PATH: [...new Set(lasting)].join(delimiter) }
}
