import type { TaskHarness } from '../../../contract/agents/tasks.js'
import { harnessProducts, taskHarness } from '../../../contract/ground/wire-names.js'
import type { Ground } from '../../ground/ground.js'
import { foreignVariables } from '../../platform/processes/foreign-variables.js'

/** Success and error according to the events so far. */
export interface Verdict {
  ok?: boolean
  error?: string | undefined
}

/** Takes one event of an agent into account; events come in their order. */
type Judge = (verdict: Verdict, event: Readonly<Record<string, unknown>>) => Verdict

/** Its last event is a result, which may call an empty run or a fault of the API a success. */
const judgeClaude: Judge = (verdict, { type, subtype, is_error, num_turns, result, errors }) => {
  if (type !== 'result') return verdict
  const ok = is_error === false && subtype === 'success' && Number(num_turns) > 0
  return ok
    ? { ok }
    : { ok, error: textOf(result) ?? textOf(errors) ?? textOf(subtype) ?? 'no turn was made' }
}

/** An error may be followed by another try; a turn has an end of its own. */
const judgeCodex: Judge = (verdict, { type, error, message }) => {
  if (type === 'turn.completed') return { ok: true }
  if (type === 'turn.failed') return { ok: false, error: textOf(error) ?? verdict.error ?? 'the turn failed' }
  if (type === 'error') return { ...verdict, error: textOf(message) ?? 'it told an error without words' }
  return verdict
}

/** It tells errors and the ends of steps, and nothing at all where it refused. */
const judgeOpenCode: Judge = (verdict, { type, error }) => {
  if (type === 'error') return { ok: false, error: textOf(error) ?? 'it told an error without words' }
  return type === 'step_finish' && verdict.ok !== false ? { ok: true } : verdict
}

/** How a coding agent is started without a terminal, and what its own events say of the end (tasks.md 4.8). */
export interface HarnessProgram {
  product: string
  program: string
  /** Its arguments; the prompt is one of them, whatever it begins with, unless it reads that from its input. */
  args(prompt: string): string[]
  readsInput?: true
  judge: Judge
}

export const harnessPrograms: Readonly<Record<TaskHarness, HarnessProgram>> = {
  [taskHarness.claudeCode]: {
    product: harnessProducts[taskHarness.claudeCode],
    program: 'claude',
    args: prompt => [
      ...['-p', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
      ...['--', prompt],
    ],
    judge: judgeClaude,
  },
  [taskHarness.codex]: {
    product: harnessProducts[taskHarness.codex],
    program: 'codex',
    args: prompt => ['exec', '--json', '--skip-git-repo-check', '--', prompt],
    judge: judgeCodex,
  },
  [taskHarness.openCode]: {
    product: harnessProducts[taskHarness.openCode],
    program: 'opencode',
    // It puts quotes around an argument with spaces, and takes them for a part of the prompt.
    args: () => ['run', '--format', 'json'],
    readsInput: true,
    judge: judgeOpenCode,
  },
}

/** What agents tell the programs that they start: a daemon that one of them started is in no session of it. */
const marker =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_ACCESS_TOKEN|SESSION_ID|SSE_PORT)|CLAUDE_(PROJECT_DIR|ENV_FILE)|CODEX_(THREAD_ID|SANDBOX\w*)|OPENCODE(_PID|_RUN_ID)?)$/u

/**
 * The environment of a coding agent: that of the daemon, where its account may be, without marks of a session around it
 * and without our own variables. Its hooks are silent, so that a task is no session of a person; its tools find this
 * workspace.
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

/** The words of a fault, wherever an agent has put them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return value.map(textOf).find(text => text !== undefined)
  if (typeof value !== 'object' || value === null) return undefined
  const { message, data, name } = value as Record<string, unknown>
  return textOf(message) ?? textOf(data) ?? textOf(name)
}
