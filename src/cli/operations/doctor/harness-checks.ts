import { constants, existsSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { formatAge } from '../../../lib/time/age.js'
import { carryOutConnect } from '../../sessions/connect/carry-out.js'
import { chooseProgram, versionManagerOf } from '../../sessions/connect/command-line.js'
import { allRecords } from '../../sessions/connect/connection-record.js'
import type { Harness, Scope } from '../../sessions/connect/entries/harness.js'
import { findProgram, type Machine } from '../../sessions/connect/entries/machine.js'
import { harnesses } from '../../sessions/connect/harnesses.js'
import { type PlanContext, planConnect, readSettings } from '../../sessions/connect/plan.js'
import { planContext } from '../../sessions/connect/plan-context.js'
import { optionsOf, stateOf } from '../../sessions/connect/state.js'
import type { LocalCheck, Outcome } from './finding.js'

const fixCommand = 'memory health --fix'

/**
 * Returns a check for each connected harness: for the user, and for each recorded project.
 * @throws ClientError or CliError if agent.yaml or the environment is invalid.
 */
export async function harnessChecks(machine: Machine): Promise<LocalCheck[]> {
  const context = await planContext(machine)
  return harnesses.flatMap(harness => [
    ...(isConnected(context, harness) ? [checkOf(context, harness, 'user')] : []),
    ...allRecords(machine.workspace)
      .flatMap(record => (record.harness === harness.name && record.folder) || [])
      // Deleted projects are skipped.
      .filter(folder => existsSync(folder))
      .map(folder => checkOf(inFolder(context, folder), harness, 'project')),
  ])
}

function isConnected(context: PlanContext, harness: Harness): boolean {
  const { state, record } = stateOf(context, harness, 'user')
  return record !== undefined || state === 'connected' || state === 'outdated'
}

function inFolder(context: PlanContext, folder: string): PlanContext {
  return { ...context, machine: { ...context.machine, folder } }
}

function checkOf(context: PlanContext, harness: Harness, scope: Scope): LocalCheck {
  return { id: harness.name, run: () => checkHarness(context, harness, scope) }
}

async function checkHarness(context: PlanContext, harness: Harness, scope: Scope): Promise<Outcome> {
  const { machine } = context
  const { state, evidence, outdatedFiles, record } = stateOf(context, harness, scope)
  const where = scope === 'user' ? '' : ` in ${machine.folder}`
  const again = `memory connect ${harness.name}${scope === 'user' ? '' : ` --scope project (in ${machine.folder})`}`
  if (state === 'unreadable') return { severity: 'error', evidence, fix: 'correct the file' }
  if (state === 'installed' || state === 'not-installed') {
    return { severity: 'warning', evidence: `our entries${where} were removed`, fix: again }
  }
  if (state === 'outdated') {
    return {
      severity: 'warning',
      evidence: `our entries${where} are missing or outdated: ${outdatedFiles.join(', ')}${namedBelow(machine, outdatedFiles)}`,
      fix: fixCommand,
      repair: async () => reconnect(context, harness, scope),
    }
  }
  const fault = await programFault(machine, chooseProgram(machine, harness).memory)
  if (fault) return { severity: 'error', evidence: fault, fix: again }
  const parts = record?.withMcp === false ? 'hooks' : 'hooks and MCP server'
  const capture = machine.env.SERVICE_DAEMON_URL ? '' : `; ${await lastCapture(machine, harness)}`
  const current = `connected${where}, ${parts} up to date`
  const [obstacle] =
    harness.obstacles?.(machine, scope, file => readSettings(file)?.toString('utf8') ?? '') ?? []
  if (obstacle)
    return {
      severity: 'warning',
      evidence: `${current}, but ${obstacle.what}${capture}`,
      fix: obstacle.remedy,
    }
  return { severity: 'ok', evidence: `${current}${capture}` }
}

/**
 * Describes when the last conversation of the harness was captured, which is appended to its file (rules.md
 * 4.10).
 */
async function lastCapture({ workspace }: Machine, { name }: Harness): Promise<string> {
  const file = join(workspace.memoryDir, name, 'transcripts', 'transcript.jsonl')
  const written = await stat(file).catch(() => undefined)
  return written
    ? `last captured ${formatAge(written.mtime.toISOString(), Date.now())}`
    : 'nothing captured yet'
}

/** Explains hooks that call `memory` by name although only some programs have its folder on their PATH. */
function namedBelow(machine: Machine, files: readonly string[]): string {
  const manager = versionManagerOf(machine)
  const isNamed = files.some(file => readSettings(file)?.includes('"memory hook '))
  return manager && isNamed
    ? `; hooks call memory by name, below ${manager}, which only some terminals find`
    : ''
}

/** Writes the entries again with the options of the original connection. */
function reconnect(context: PlanContext, harness: Harness, scope: Scope): void {
  const { record } = stateOf(context, harness, scope)
  const options = optionsOf(context, harness, scope, record)
  if (!options) return
  carryOutConnect(context.machine, planConnect(context, harness, options), new Date().toISOString())
}

/** Returns why the harness cannot start our program. */
async function programFault(
  machine: Machine,
  [program = '', script]: readonly string[],
): Promise<string | undefined> {
  const file = isAbsolute(program) ? program : findProgram(machine, program)
  if (!file) return `${program} is not on the PATH`
  const canRun = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!canRun) return `${file} cannot be executed`
  const isThere =
    script === undefined ||
    (await access(script).then(
      () => true,
      () => false,
    ))
  return isThere ? undefined : `${script} is missing`
}
