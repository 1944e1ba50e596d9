import { existsSync } from 'node:fs'
import { call } from '../../client/call.js'
import { ClientError } from '../../client/http/client-error.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { type Colors, colorsFor, outputWidth, print } from '../terminal/output.js'
import { clipText } from '../terminal/text.js'
import { coreCommands } from './command-groups.js'

/** Commands for what one wants most often, with the form of their argument. */
const everyday = {
  remember: 'TEXT',
  recall: 'WORDS',
  search: 'WORDS',
  list: '',
  forget: 'ID',
  preview: '',
  connect: '',
  health: '',
} as const

/** Time for a daemon that runs; this text must not wait for a busy one. */
const patienceMs = 5000

interface State {
  text: string
  next: string
}

/** Shows eight commands, the state in one line, and the next step. Starts no daemon. */
export async function showWelcome(): Promise<void> {
  const colors = colorsFor()
  print(welcomeText(await stateOf(), colors, outputWidth()))
}

function welcomeText({ text, next }: State, colors: Colors, width: number): string {
  const commands = Object.entries(everyday).map(([name, argument]) => ({
    line: `memory ${name} ${argument}`.trimEnd(),
    purpose: coreCommands[name] ?? '',
  }))
  const longest = Math.max(...commands.map(({ line }) => line.length))
  const rows = commands.map(
    ({ line, purpose }) => `  ${line.padEnd(longest)}  ${colors.dim(clipText(purpose, width - longest - 4))}`,
  )
  return [
    colors.bold('memory: one local memory for your coding agents and you'),
    '',
    ...rows,
    '',
    `${colors.dim('State')}  ${clipText(text, width - 7)}`,
    `${colors.dim('Next')}   ${colors.bold(next)}`,
    colors.dim('All commands: memory help'),
  ].join('\n')
}

async function stateOf(): Promise<State> {
  try {
    const status = await call('GET /api/status', {}, { autostart: false, timeoutMs: patienceMs })
    return stateOfRunning(status)
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'daemon_not_started'))
      return { text: 'the daemon does not answer', next: 'memory health' }
    return existsSync(workspacePaths().database) || process.env.SERVICE_DAEMON_URL
      ? { text: 'the daemon is not running; the next command starts it', next: 'memory list' }
      : { text: 'nothing is set up yet', next: 'memory setup' }
  }
}

function stateOfRunning({ memories, health, index }: Reply<'GET /api/status'>): State {
  const waiting = health.waiting?.items ?? []
  const parts = [
    countOf(memories, 'memory', 'memories'),
    health.status,
    ...waiting.slice(0, 1).map(({ text }) => text),
  ]
  const next = health.status === 'healthy' ? waiting[0]?.command : 'memory health'
  return { text: parts.join(', '), next: next ?? (index.documents === 0 ? 'memory setup' : 'memory preview') }
}
