import type { RunStatus, TaskHarness } from '../../../contract/agents/tasks.js'
import { harnessProducts, harnessProgramNames, taskHarness } from '../../../contract/ground/wire-names.js'
import { clip } from '../../../lib/text/clip.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import type { Ground } from '../../ground/ground.js'
import type { GroupEnd } from '../../platform/processes/run-group.js'
import type { OutputStream } from './run-output.js'

/** Success and error according to the events so far. */
export interface Verdict {
  ok?: boolean
  error?: string | undefined
}

/** Updates the verdict with the next event of an agent. */
type Judge = (verdict: Verdict, event: Readonly<Record<string, unknown>>) => Verdict

/** The inputs of a run, whichever way its agent is started. */
export interface AgentRun {
  input: string
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
  signal: AbortSignal
  /** Stores output and sends it to readers. @returns the complete characters of the chunk */
  onOutput(stream: OutputStream, chunk: Buffer): Promise<string>
  /** Stores the rest of an incomplete character. @returns it */
  onEnd(stream: OutputStream): string
}

export interface ExecutionEnd {
  status: Extract<RunStatus, 'completed' | 'failed' | 'timeout'>
  exitCode: number | null
  error: string | null
  /** Resolves when every process it started has ended. */
  gone?: Promise<void>
}

/** Characters of an error. */
export const maxError = 2000

/** Ends a run whose program was not started. */
export function notStarted(
  { isMissing, error = '' }: GroupEnd,
  { product, program }: Pick<HarnessProgram, 'product' | 'program'>,
): ExecutionEnd {
  if (!isMissing) return failed(`${program} could not be started: ${error}`)
  return failed(
    `${program} is not on the PATH of the daemon; install ${product}, then run memory daemon restart in a shell that finds it`,
  )
}

/** Explains that a run took too long. */
export function limitWords(timeoutMs: number): string {
  return `ended after ${timeoutMs} ms, the runtime limit (tasks.runtimeLimitMs)`
}

/** Ends a run that has no exit code. */
export function failed(error: string): ExecutionEnd {
  return { status: 'failed', exitCode: null, error: clip(error, maxError) }
}

/** Returns the last line of what a program complained. */
export function lastLine(text: string): string {
  return unscannedLine(text.trimEnd().split('\n').at(-1) ?? '', 300)
}

/** Claude Code ends with a result event, which may report success for an empty run or an API error. */
const judgeClaude: Judge = (verdict, { type, subtype, is_error, num_turns, result, errors }) => {
  if (type !== 'result') return verdict
  const ok = is_error === false && subtype === 'success' && Number(num_turns) > 0
  return ok ? { ok } : { ok, error: textOf(result) ?? textOf(errors) ?? textOf(subtype) ?? 'it made no turn' }
}

/** Codex may retry after an error; only a turn's own end decides. */
const judgeCodex: Judge = (verdict, { type, error, message }) => {
  if (type === 'turn.completed') return { ok: true }
  if (type === 'turn.failed') return { ok: false, error: textOf(error) ?? verdict.error ?? 'the turn failed' }
  if (type === 'error')
    return { ...verdict, error: textOf(message) ?? 'it reported an error without a message' }
  return verdict
}

/** OpenCode reports errors and ends of steps, and writes no events when it refuses to start. */
const judgeOpenCode: Judge = (verdict, { type, error }) => {
  if (type === 'error') return { ok: false, error: textOf(error) ?? 'it reported an error without a message' }
  return type === 'step_finish' && verdict.ok !== false ? { ok: true } : verdict
}

/** How a coding agent is started without a terminal, and how its end is judged (tasks.md 4.8). */
export interface HarnessProgram {
  product: string
  program: string
  /**
   * Arguments without the prompt, which goes to standard input. cmd, which starts agents that npm installed
   * on Windows, would cut an argument at 8,191 characters or a line break, and run what follows a quote and
   * `&`.
   */
  args: readonly string[]
  /** For an agent that takes its prompt only as an argument: the flag before it. Not on Windows. */
  promptFlag?: string
  /** Judges its events; absent for one that writes text, which its exit code judges. */
  judge?: Judge
}

type StartedHarness = Exclude<TaskHarness, typeof taskHarness.acp>

const starts: Readonly<Record<StartedHarness, Omit<HarnessProgram, 'product' | 'program'>>> = {
  [taskHarness.claudeCode]: {
    args: ['-p', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
    judge: judgeClaude,
  },
  [taskHarness.codex]: { args: ['exec', '--json', '--skip-git-repo-check', '-'], judge: judgeCodex },
  [taskHarness.openCode]: { args: ['run', '--format', 'json'], judge: judgeOpenCode },
  [taskHarness.gemini]: { args: ['--yolo'] },
  [taskHarness.qwen]: { args: ['--yolo', '--output-format', 'stream-json'], judge: judgeClaude },
  [taskHarness.copilot]: { args: ['--allow-all-tools', '--silent'] },
  [taskHarness.kimi]: { args: [], promptFlag: '--prompt=' },
  [taskHarness.pi]: { args: ['-p', '--approve'] },
  [taskHarness.hermes]: { args: ['chat', '-Q', '--yolo'], promptFlag: '--query=' },
}

/** Returns how an agent is started that has a command line of its own. */
export function harnessProgram(harness: StartedHarness): HarnessProgram {
  return { product: harnessProducts[harness], program: harnessProgramNames[harness], ...starts[harness] }
}

/** Variables that agents set for child processes: a daemon started by an agent is not part of its session. */
const marker =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_ACCESS_TOKEN|SESSION_ID|SSE_PORT)|CLAUDE_(PROJECT_DIR|ENV_FILE)|CODEX_(THREAD_ID|SANDBOX\w*)|OPENCODE(_PID|_RUN_ID)?)$/u

/**
 * The environment of a coding agent: the daemon's, which may contain its account, without session markers and
 * without the daemon's own variables. Hooks are off, so a task does not count as a person's session; tools
 * find this workspace.
 */
export function harnessEnvironment({
  environment,
  paths,
}: Pick<Ground, 'environment' | 'paths'>): NodeJS.ProcessEnv {
  const passed = Object.entries(foreignVariables(environment)).filter(([name]) => !marker.test(name))
  return {
    ...Object.fromEntries(passed),
    NO_COLOR: '1',
    SERVICE_NO_HOOKS: '1',
    SERVICE_WORKSPACE: paths.root,
  }
}

/** Finds the text of an error, wherever the agent put it. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return value.map(textOf).find(text => text !== undefined)
  if (typeof value !== 'object' || value === null) return undefined
  const { message, data, name } = value as Record<string, unknown>
  return textOf(message) ?? textOf(data) ?? textOf(name)
}

/**
 * The environment for programs of others: without our variables, which contain keys and the daemon's address.
 */
function foreignVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'FORCE_COLOR'),
  )
}
