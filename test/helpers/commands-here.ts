import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ExecutionContext } from 'ava'
import { parse } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { version } from '../../src/lib/workspace/version.js'
import { type CliOptions, type CliResult, cliWorkspace, environmentOf, runCli } from './cli.js'
import { startDaemon, type TestDaemon } from './daemon.js'
import { migratedDatabase } from './migrated-database.js'

const daemons = new WeakMap<object, Promise<TestDaemon>>()

/**
 * Runs the built CLI to its end against {@link daemonHere}, for tests of what commands say and do. How a daemon is
 * started, replaced and ended by them takes the built one: `runCli`.
 */
export async function runHere(
  t: ExecutionContext,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  await daemonHere(t, options.env)
  return runCli(t, args, options)
}

/**
 * The daemon of a test's commands, in this process: one that a command starts takes five times as much of the
 * processor. It goes by agent.yaml of the workspace, without vectors where that is not there.
 * @param env of the commands, as the daemon that the first of them starts would have it
 */
export function daemonHere(t: ExecutionContext, env: CliOptions['env'] = {}): Promise<TestDaemon> {
  const known = daemons.get(t)
  if (known) return known
  const workspace = cliWorkspace(t)
  const { database, settings: file } = workspacePaths(workspace)
  if (!existsSync(database)) {
    mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
    writeFileSync(database, migratedDatabase())
  }
  const settings = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {}
  const environment = { ...environmentOf(t), ...env }
  const daemon = startDaemon(t, { workspace, version, environment, settings })
  daemons.set(t, daemon)
  return daemon
}
