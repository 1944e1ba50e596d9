import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/tools.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'
import type { Remedies } from '../../tool/tool-failure.js'

type Command = Reply<'GET /api/secrets/exec/:jobId'>

/** Maximum characters per output stream for a model, from its beginning and end. */
const maxOutput = 20_000

const remedies: Remedies = {
  plugin_capability_denied: 'Secrets are disabled here; tell the user.',
  secret_store_locked: 'Ask the user to run `memory secrets unlock`, then call again.',
}

const secretList = tool({
  name: 'secret_list',
  title: 'List secrets',
  description: 'List the names of secrets for secret_exec, never their values.',
  tier: 'extra',
  plugin: 'service.secrets',
  effect: 'reads',
  input: contract.secretListInput,
  output: contract.secretListOutput,
  remedies,
  run: async call => {
    const { secrets } = await call('GET /api/secrets')
    const text =
      secrets.length > 0
        ? `${countOf(secrets.length, 'secret')}:\n${secrets.map(name => `- ${label(name)}`).join('\n')}`
        : 'No secrets. The user can add one with `memory secrets set NAME`.'
    return { text, data: { secrets } }
  },
})

const secretExec = tool({
  name: 'secret_exec',
  title: 'Run a command with secrets',
  description: 'Run a shell command in your folder with secrets as variables.',
  tier: 'extra',
  plugin: 'service.secrets',
  effect: 'runs',
  input: contract.secretExecInput,
  output: contract.secretExecOutput,
  remedies: {
    ...remedies,
    not_found: 'Use a name from secret_list, or ask the user to add it with `memory secrets set NAME`.',
    rate_limited: 'Wait until a command has ended (secret_exec_status), then call again.',
    connection_lost: 'The command may have started: ask the user before you run it again.',
    timeout: 'The command may have started: ask the user before you run it again.',
  },
  question: ({ command, secrets }) => ({
    text: `Run this command with the secrets ${Object.values(secrets).join(', ')}?\n${command}`,
  }),
  run: async (call, { command, secrets, timeoutSeconds }) => {
    const { id, status, timeoutMs, cwd } = await call('POST /api/secrets/exec', {
      body: { command, secrets, timeoutMs: timeoutSeconds * 1000 },
    })
    const text = `The command is ${status} in ${label(cwd, 300)}, id ${id}, time limit ${timeoutMs / 1000} s; secret_exec_status returns its output.`
    return { text, data: { id, status, timeoutMs, cwd } }
  },
})

const secretExecStatus = tool({
  name: 'secret_exec_status',
  title: 'Output of a command',
  description: 'Status of a secret_exec command; at its end, output and exit code.',
  tier: 'extra',
  plugin: 'service.secrets',
  effect: 'reads',
  input: contract.secretExecStatusInput,
  output: contract.secretExecStatusOutput,
  remedies: {
    ...remedies,
    not_found: 'Its output is no longer stored. Ask the user before you run the command again.',
  },
  run: async (call, { jobId }) => {
    const command = await call('GET /api/secrets/exec/:jobId', { params: { jobId } })
    return { text: commandText(command), data: shown(command) }
  },
})

function shown({ id, status, error, result }: Command) {
  if (!result) return { id, status, error }
  const { stdout, stderr } = result
  return { id, status, error, result: { ...result, stdout: middleOut(stdout), stderr: middleOut(stderr) } }
}

function commandText(command: Command): string {
  const { status, error, result } = shown(command)
  const head = [status, error].filter(Boolean).join(': ')
  if (!result) return status === 'failed' ? head : `${head}; call again in a few seconds`
  const { stdout, stderr, code, timedOut, durationMs } = result
  const end = timedOut ? 'ended by its time limit (code 124)' : `exit code ${code}`
  const parts = [['stdout', stdout] as const, ['stderr', stderr] as const].flatMap(([name, text]) =>
    text === '' ? [] : `${name}:\n${text}`,
  )
  return [`${head}, ${end}, after ${durationMs / 1000} s`, ...parts].join('\n\n')
}

/** Cuts the middle of a long output. */
function middleOut(text: string): string {
  if (text.length <= maxOutput) return text
  const half = maxOutput / 2
  return `${text.slice(0, half)}\n[... ${text.length - maxOutput} characters omitted ...]\n${text.slice(-half)}`
}

/** The secret tools (mcp.md 4.9). */
export const secretTools: readonly Tool[] = [secretList, secretExec, secretExecStatus]
