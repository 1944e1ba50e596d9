import { stat } from 'node:fs/promises'
import { z } from 'zod'
import {
  type Connections,
  type ConnectReply,
  connectHarness as contract,
  type EarlierSessionsReply,
  type HarnessFiles,
  importEarlierSessions,
  listConnections,
} from '../../../contract/agents/harness-files.js'
import { AppError } from '../../../contract/ground/errors.js'
import { homeIfKnown } from '../../../lib/files/folders.js'
import { ownNode, packageFile } from '../../../lib/files/package-root.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { harnessFiles } from '../../../lib/workspace/harness-files.js'
import type { Ground } from '../../ground/ground.js'
import { passedVariables, runGroup } from '../../platform/processes/run-group.js'
import { runExclusively } from '../programs/runs.js'

type Deps = Pick<Ground, 'store' | 'paths' | 'log' | 'environment'>

const connecting = {
  key: 'connections',
  busy: 'the coding agents are being looked at or connected; try again in a moment',
}
const importing = { key: 'earlier sessions', busy: 'the earlier sessions are being imported already' }

const planned = z.object({
  applied: z.boolean(),
  harnesses: z.array(contract.response.pick({ files: true, hints: true })),
  failures: z.array(z.object({ error: z.string() })),
})

/** Variables that name the folders of coding agents. */
const agentVariables = /^(CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|HERMES_HOME|SERVICE_EXECUTABLE)$/u
/** Importing the sessions of years takes minutes. */
const timeoutMs = 30 * 60_000
const maxBytes = 8 * 1024 * 1024

const failure = z.object({ error: z.string() })

/** Lists the coding agents that are on this machine, as `memory connect` does. */
export function connections(deps: Deps): Promise<Connections> {
  return runExclusively(deps, connecting, async signal => {
    const all = listConnections.response.parse(await runCommand(deps, ['connect'], signal))
    return { harnesses: all.harnesses.filter(({ state }) => state !== 'not-installed') }
  })
}

/**
 * Connects a coding agent, or shows what that changes (harnesses.md).
 * @throws AppError `conflict` with the reason if it cannot be connected
 */
export function connectOne(
  deps: Deps,
  { harness, dryRun }: z.infer<(typeof contract)['body']>,
): Promise<ConnectReply> {
  return runExclusively(deps, connecting, async signal => {
    const words = ['connect', harness, dryRun ? '--dry-run' : '--yes']
    const { applied, harnesses, failures } = planned.parse(await runCommand(deps, words, signal))
    const [failed] = failures
    if (failed) throw new AppError('conflict', failed.error)
    return {
      applied,
      files: harnesses.flatMap(({ files }) => files),
      hints: harnesses.flatMap(({ hints }) => hints),
    }
  })
}

/** Imports the earlier sessions of all coding agents on this machine, or counts them (transcripts.md). */
export function importEarlier(deps: Deps, dryRun: boolean): Promise<EarlierSessionsReply> {
  return runExclusively(deps, importing, async signal =>
    importEarlierSessions.response.parse(
      await runCommand(deps, ['import', ...(dryRun ? ['--dry-run'] : [])], signal),
    ),
  )
}

type RunCommandDeps = Pick<Ground, 'paths' | 'log' | 'environment'>

/**
 * Runs a command of this program, as a person would in a terminal, and returns its JSON: what changes the
 * settings of other programs is the same code with the same preview.
 * @throws AppError `conflict` with the command's own message
 */
async function runCommand(
  deps: RunCommandDeps,
  words: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const { root } = deps.paths
  const chunks: Buffer[] = []
  let bytes = 0
  const { SERVICE_EXECUTABLE } = deps.environment
  const start: [string, ...string[]] = SERVICE_EXECUTABLE
    ? [SERVICE_EXECUTABLE]
    : [ownNode(), packageFile('bin', 'run.js')]
  const end = await runGroup(deps, {
    command: [...start, ...words, '--json', '--workspace', root],
    cwd: root,
    env: { ...passedVariables(deps.environment, agentVariables), NO_COLOR: '1', SERVICE_NO_AUTOSTART: '1' },
    timeoutMs,
    signal,
    onOutput: (stream, chunk) => {
      bytes += chunk.length
      if (stream === 'stdout' && bytes <= maxBytes) chunks.push(chunk)
    },
  })
  const reply = jsonOf(Buffer.concat(chunks).toString('utf8'))
  if (end.code === 0 && reply !== undefined) return reply
  const { success, data } = failure.safeParse(reply)
  const command = `memory ${words.join(' ')}`
  throw new AppError(
    'conflict',
    success ? data.error : `${command} failed${end.error ? `: ${end.error}` : ''}; run it in a terminal`,
  )
}

/**
 * Lists the files that known harnesses read for the daemon's user, as they are on disk now (skills.md 7).
 * @throws AppError `not_found` for a daemon without a home folder.
 */
export async function listHarnesses({ environment }: Pick<Ground, 'environment'>): Promise<HarnessFiles> {
  const home = environment.HOME || homeIfKnown()
  if (!home)
    throw new AppError('not_found', 'the daemon has no home folder: set HOME, then memory daemon restart')
  const known = harnessFiles({ env: environment, home })
  const harnesses = await Promise.all(
    known.map(async ({ harness, path, kinds }) => ({
      name: harness,
      path,
      exists: (await stat(path).catch(() => undefined))?.isFile() === true,
      kinds: [...kinds],
    })),
  )
  return { harnesses }
}
