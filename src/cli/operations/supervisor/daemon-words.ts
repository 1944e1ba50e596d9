import { createHash } from 'node:crypto'
import { delimiter, isAbsolute, join } from 'node:path'
import daemonEnvironment from '../../../../bin/daemon-environment.json' with { type: 'json' }
import type { Machine } from '../../sessions/connect/entries/machine.js'

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
