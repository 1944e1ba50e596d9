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
 * Runs the built CLI to its end against {@link daemonHere}, for tests of the output and effect of commands.
 * Tests of how commands start, replace and stop a daemon use the built daemon with `runCli`.
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
 * The daemon for a test's commands, inside this process: a daemon started by a command needs five times the
 * processor time. It reads the workspace's agent.yaml; without that file, vectors are off.
 * @param env variables of the commands, which a daemon started by them would inherit
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
