import type { TaskHarness } from '../../../contract/agents/tasks.js'
import type { Ground } from '../../ground/ground.js'
import { foreignVariables } from '../../platform/processes/foreign-variables.js'
import { type Judge, judgeClaude, judgeCodex, judgeOpenCode } from './judges.js'

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
  harness_a: {
    product: 'Claude Code',
    program: 'claude',
    args: prompt => [
      ...['-p', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
      ...['--', prompt],
    ],
    judge: judgeClaude,
  },
  harness_b: {
    product: 'Codex',
    program: 'codex',
    args: prompt => ['exec', '--json', '--skip-git-repo-check', '--', prompt],
    judge: judgeCodex,
  },
  harness_c: {
    product: 'OpenCode',
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
