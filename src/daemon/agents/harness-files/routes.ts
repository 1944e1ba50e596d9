import { stat } from 'node:fs/promises'
import type { RegenerateReply } from '../../../contract/agents/harness-files.js'
import * as contract from '../../../contract/agents/harness-files.js'
import { AppError } from '../../../contract/ground/errors.js'
import { clip } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import { route } from '../../platform/http/bind.js'
import { runExclusively } from '../programs/open-runs.js'
import { type QuietEnd, runQuietly } from '../programs/run-quietly.js'
import { listHarnesses } from './list-harnesses.js'

type Deps = Pick<Ground, 'store' | 'paths' | 'log' | 'environment'>

const timeoutMs = 60_000

const python = process.platform === 'win32' ? 'python' : 'python3'

const alone = {
  key: 'harness files',
  busy: 'the harness files are being regenerated; try again in a minute',
}

export const routes = [
  route(contract.listHarnesses, daemon => listHarnesses(daemon)),
  route(contract.regenerateHarnesses, daemon => regenerate(daemon)),
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
    const { paths } = deps
    const end = await runQuietly(deps, {
      command: [python, script],
      cwd: paths.root,
      env: { SERVICE_WORKSPACE: paths.root, PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8' },
      timeoutMs,
      signal,
    })
    const { output } = end
    if (end.status === 'exited' && end.code === 0)
      return { success: true, message: 'harness files regenerated', output }
    const error = describeFailure(end)
    return { success: false, message: error, output, error }
  })
}

function describeFailure({ status, code, output, error = '', isMissing }: QuietEnd): string {
  if (status === 'timed_out') return `the script did not finish within ${timeoutMs / 1000} s`
  if (status === 'cancelled') return 'the daemon stopped while the script ran'
  if (status === 'not_started')
    return isMissing
      ? `${python} is not on the PATH of the daemon: install Python 3, then memory daemon restart`
      : `${python} could not be started: ${clip(error, 300)}`
  const last = output.trim().split('\n').at(-1) ?? ''
  return `the script failed with code ${code}${last ? `: ${clip(last, 300)}` : ''}`
}
