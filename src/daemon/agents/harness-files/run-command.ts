import { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { ownNode, packageFile } from '../../../lib/files/package-root.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { passedVariables } from '../../platform/processes/passed-variables.js'
import { runGroup } from '../../platform/processes/run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

/** Variables that name the folders of coding agents. */
const agentVariables = /^(CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|HERMES_HOME|SERVICE_EXECUTABLE)$/u
/** Importing the sessions of years takes minutes. */
const timeoutMs = 30 * 60_000
const maxBytes = 8 * 1024 * 1024

const failure = z.object({ error: z.string() })

/**
 * Runs a command of this program, as a person would in a terminal, and returns its JSON: what changes the
 * settings of other programs is the same code with the same preview.
 * @throws AppError `conflict` with the command's own message
 */
export async function runCommand(
  deps: Deps,
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
