import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessHook } from '../../src/contract/sessions/harness-names.js'
import { measuredEnvironment } from '../environment.js'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'run.js')
const sessionKey = '0198f3c2-7c11-7000-8000-00000000abcd'

const native = (hook_event_name: string, fields: object = {}): string =>
  JSON.stringify({
    session_id: sessionKey,
    cwd: '/work/api',
    permission_mode: 'default',
    hook_event_name,
    ...fields,
  })

/** The input that Claude Code writes to each hook. */
export const inputs: Readonly<Record<HarnessHook, string>> = {
  'session-start': native('SessionStart', { source: 'startup', model: 'm' }),
  'user-prompt-submit': native('UserPromptSubmit', { prompt: 'why does the harbour crane stop at noon' }),
  notifications: native('PreToolUse', {
    tool_name: 'Bash',
    tool_use_id: 't',
    tool_input: { command: 'npm test' },
  }),
  'session-checkpoint-extract': native('Stop', {
    stop_hook_active: false,
    last_assistant_message: 'Its timer is wrong.',
  }),
  'pre-compaction': native('PreCompact', { trigger: 'auto', custom_instructions: '' }),
  'compaction-complete': native('PostCompact', {
    trigger: 'auto',
    compact_summary: 'The timer of the harbour crane was set to noon.',
  }),
  'subagent-start': native('SubagentStart', { agent_id: 'a-1', agent_type: 'Explore' }),
  'session-end': native('SessionEnd', { reason: 'other' }),
}

export interface HookRun {
  /** From spawn to exit. */
  ms: number
  /**
   * Processor time of the process, to 10 ms; undefined where the system does not report it. Wrong for
   * concurrent runs.
   */
  cpuMs: number | undefined
  code: number | null
  stdout: string
  stderr: string
}

/** Runs one hook as Claude Code calls it. */
export function runHook(hook: HarnessHook, environment: NodeJS.ProcessEnv): Promise<HookRun> {
  return runNode([bin, 'hook', hook, '-H', 'claude-code'], environment, inputs[hook])
}

export async function runNode(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  input = '',
): Promise<HookRun> {
  const cpuBefore = childrenCpuMs()
  const started = performance.now()
  const child = spawn(process.execPath, [...args], { env: measuredEnvironment(environment) })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr.on('data', chunk => {
    output.stderr += chunk
  })
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [code] = await once(child, 'exit')
  const ms = performance.now() - started
  await closed
  const cpuAfter = childrenCpuMs()
  const cpuMs = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore
  return { ms, cpuMs, code, ...output }
}

/**
 * Processor time of all ended child processes: fields 16 and 17 of Linux's /proc/self/stat, in units of 10
 * ms.
 */
function childrenCpuMs(): number | undefined {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return undefined
  }
}
