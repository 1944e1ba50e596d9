import { stat } from 'node:fs/promises'
import type { RegenerateReply } from '../../../contract/agents/harness-files.js'
import * as contract from '../../../contract/agents/harness-files.js'
import { AppError } from '../../../contract/ground/errors.js'
import { clip } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import { route } from '../../platform/http/bind.js'
import { type QuietEnd, runExclusively, runQuietly } from '../programs/runs.js'
import { connections, connectOne, importEarlier, listHarnesses } from './harnesses.js'

type Deps = Pick<Ground, 'store' | 'paths' | 'log' | 'environment'>

const timeoutMs = 60_000

/**
 * Ways to start Python 3, in order. On Windows `python` may be the stub of the Store, which only opens it;
 * the launcher `py` comes with Python.
 */
const pythons = (platform: NodeJS.Platform): readonly (readonly [program: string, ...args: string[]])[] =>
  platform === 'win32' ? [['py', '-3'], ['python']] : [['python3']]

const alone = {
  key: 'harness files',
  busy: 'the harness files are being regenerated; try again in a minute',
}

export const routes = [
  route(contract.listHarnesses, daemon => listHarnesses(daemon)),
  route(contract.regenerateHarnesses, daemon => regenerate(daemon)),
  route(contract.listConnections, daemon => connections(daemon)),
  route(contract.connectHarness, (daemon, { body }) => connectOne(daemon, body)),
  route(contract.importEarlierSessions, (daemon, { body }) => importEarlier(daemon, body.dryRun)),
]

/**
 * Runs the workspace's own script that regenerates harness files (skills.md 8). A failed script yields
 * `success: false` with its output.
 * @throws AppError `not_found` without a script, `conflict` while it runs.
 */
function regenerate(deps: Deps): Promise<RegenerateReply> {
  const script = deps.paths.harnessScript
  return runExclusively(deps, alone, async signal => {
    if (!(await stat(script).catch(() => undefined))?.isFile())
      throw new AppError(
        'not_found',
        'scripts/generate-harness-configs.py not found in the workspace; put the script that generates your harness files there',
      )
    const end = await runScript(deps, { script, signal })
    const { output } = end
    if (end.status === 'exited' && end.code === 0)
      return { success: true, message: 'harness files regenerated', output }
    const error = describeFailure(end)
    return { success: false, message: error, output, error }
  })
}

/** Runs a script with the first Python 3 of this machine. @returns the end of its run */
export async function runScript(
  deps: Pick<Deps, 'paths' | 'log' | 'environment'>,
  { script, signal, platform = process.platform }: ScriptRun,
): Promise<PythonEnd> {
  const { root } = deps.paths
  const run = async ([program, ...args]: readonly [string, ...string[]]): Promise<PythonEnd> => {
    const end = await runQuietly(deps, {
      command: [program, ...args, script],
      cwd: root,
      env: { SERVICE_WORKSPACE: root, PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8' },
      timeoutMs,
      signal,
    })
    return { ...end, program }
  }
  const [first, second] = pythons(platform)
  const end = await run(first!)
  return end.isMissing && second ? run(second) : end
}

interface ScriptRun {
  script: string
  signal: AbortSignal
  platform?: NodeJS.Platform
}

type PythonEnd = QuietEnd & { program: string }

function describeFailure({ status, code, output, error = '', isMissing, program }: PythonEnd): string {
  if (status === 'timed_out') return `the script did not finish within ${timeoutMs / 1000} s`
  if (status === 'cancelled') return 'the daemon stopped while the script ran'
  if (status === 'not_started')
    return isMissing
      ? `${program} is not on the PATH of the daemon: install Python 3, then memory daemon restart`
      : `${program} could not be started: ${clip(error, 300)}`
  const last = output.trim().split('\n').at(-1) ?? ''
  return `the script failed with code ${code}${last ? `: ${clip(last, 300)}` : ''}`
}
