import type { TaskHarness } from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { readForeignBytes } from '../../../lib/files/open-foreign.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import type { TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Ground } from '../../ground/ground.js'
import { type GroupEnd, type GroupOptions, runGroup } from '../../platform/processes/run-group.js'
import { requireSkill } from '../skills/skill-folder.js'
import {
  type AgentRun,
  type ExecutionEnd,
  failed,
  type HarnessProgram,
  harnessEnvironment,
  harnessProgram,
  lastLine,
  limitWords,
  maxError,
  notStarted,
  type Verdict,
} from './harness-programs.js'
import type { OutputChunk, OutputStream, RunOutput } from './run-output.js'
import { acpOf, skillOf } from './task-record.js'
import { folderFault } from './write-task.js'

/** Longest event read; longer ones are output of tools. */
const maxLength = 2 * 1024 * 1024
const maxSkillBytes = 4 * 1024 * 1024

/** Events that decide how a run ends; the others, most of the output, are not parsed. */
const decisiveEvent = /"type"\s*:\s*"(?:result|error|turn\.(?:completed|failed)|step_finish)"/u

const event = /^\s*\{.*"type"\s*:/u

/** Finds JSON events, one per line, in streamed output. */
class EventLines {
  #line = ''
  #tooLong = false
  #seen = { events: false, text: false }

  constructor(readonly onEvent: (event: Readonly<Record<string, unknown>>) => void) {}

  add(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#take(text.slice(from, at))
      this.end()
      from = at + 1
    }
    this.#take(text.slice(from))
  }

  /** Also ends the last line, which may lack a line break. */
  end(): void {
    const line = this.#tooLong ? '' : this.#line
    this.#seen.events ||= this.#tooLong || event.test(line)
    this.#seen.text ||= line.trim() !== ''
    this.#line = ''
    this.#tooLong = false
    if (!decisiveEvent.test(line)) return
    const told = objectIn(line)
    if (told) this.onEvent(told)
  }

  /** True for plain-text output without a single event. */
  get isText(): boolean {
    return this.#seen.text && !this.#seen.events
  }

  #take(text: string): void {
    this.#tooLong ||= this.#line.length + text.length > maxLength
    this.#line = this.#tooLong ? '' : this.#line + text
  }
}

export type ExecuteDeps = Pick<Ground, 'paths' | 'log' | 'environment' | 'configuration' | 'budget'>

export interface Execution {
  task: TaskRow
  output: RunOutput
  /** Its reason becomes the `error` of the cancelled run. */
  signal: AbortSignal
  onOutput(chunk: OutputChunk): void
}

/** Linux takes 131,072 bytes in one argument. */
const maxArgument = 120_000

/**
 * Starts the agent of a task and judges the result. A run is completed when the agent reports success and
 * exits with 0; for plain-text output the exit code decides. The runtime limit ends it (tasks.md 3.4). Never
 * throws.
 */
export async function executeRun(deps: ExecuteDeps, execution: Execution): Promise<ExecutionEnd> {
  try {
    return await execute(deps, execution)
  } catch (error) {
    if (!(error instanceof AppError)) deps.log.error({ err: error }, 'task run failed inside the daemon')
    return failed(error instanceof AppError ? error.message : 'the run failed inside the daemon')
  }
}

async function execute(
  deps: ExecuteDeps,
  { task, output, signal, onOutput }: Execution,
): Promise<ExecutionEnd> {
  const cwd = task.working_directory ?? deps.paths.root
  const fault = await folderFault(cwd)
  if (fault) return failed(`the working directory ${quoted(cwd)} ${fault}`)
  const skill = skillOf(task)
  const input = skill === null ? task.prompt : await withSkill(deps, skill, task.prompt)
  const { runtimeLimitMs: timeoutMs } = deps.configuration().settings.tasks
  const run: AgentRun = {
    input,
    cwd,
    env: harnessEnvironment(deps),
    timeoutMs,
    signal,
    onOutput: async (stream, chunk) => {
      await deps.budget.breathe()
      return forward(output.add(stream, chunk))
    },
    onEnd: stream => forward(output.end(stream)),
  }
  const acp = acpOf(task)
  if (acp === null) return runProgram(deps, harnessProgram(task.harness as Exclude<TaskHarness, 'acp'>), run)
  // Loaded with the first such task, since few workspaces have any.
  const { runAcpAgent } = await import('./run-acp-agent.js')
  return runAcpAgent(deps, acp, run)

  function forward(chunk: OutputChunk): string {
    if (chunk.data !== '') onOutput(chunk)
    return chunk.data
  }
}

async function runProgram(
  deps: ExecuteDeps,
  harness: HarnessProgram,
  { input, onOutput, onEnd, ...run }: AgentRun,
): Promise<ExecutionEnd> {
  const fault = harness.promptFlag === undefined ? undefined : argumentFault(harness, input)
  if (fault) return failed(fault)
  const said: { verdict: Verdict; complaint?: string } = { verdict: {} }
  const events = new EventLines(event => {
    said.verdict = harness.judge?.(said.verdict, event) ?? {}
  })
  const hear = (stream: OutputStream, text: string): void => {
    if (stream === 'stdout') events.add(text)
    else if (text.trim() !== '') said.complaint = lastLine(text)
  }
  const end = await runGroup(deps, {
    ...run,
    ...startOf(harness, input),
    onOutput: async (stream, chunk) => hear(stream, await onOutput(stream, chunk)),
  })
  for (const stream of ['stdout', 'stderr'] as const) hear(stream, onEnd(stream))
  events.end()
  // A program that refuses to start explains itself on stderr and writes no events.
  const verdict = { error: said.complaint, ...said.verdict }
  const isText = events.isText || harness.judge === undefined
  return endOf(end, { harness, verdict, isText, signal: run.signal, timeoutMs: run.timeoutMs })
}

function startOf(
  { program, args, promptFlag }: HarnessProgram,
  input: string,
): Pick<GroupOptions, 'command' | 'input'> {
  if (promptFlag === undefined) return { command: [program, ...args], input }
  return { command: [program, ...args, `${promptFlag}${input.replaceAll('\0', '')}`] }
}

/** Explains why a prompt can't be an argument of a program; undefined when it can. */
function argumentFault({ product }: HarnessProgram, input: string): string | undefined {
  if (process.platform === 'win32')
    return `${product} takes its prompt only as an argument, which is not safe on Windows; use harness acp`
  if (Buffer.byteLength(input) <= maxArgument) return undefined
  return `${product} takes its prompt only as an argument, and this one has more than ${maxArgument} bytes`
}

/** Returns the prompt as the agent gets it, with the task's skill. @throws AppError for a missing skill. */
async function withSkill(
  deps: ExecuteDeps,
  { name, mode }: NonNullable<ReturnType<typeof skillOf>>,
  prompt: string,
): Promise<string> {
  const { folder, file } = await requireSkill(deps, name)
  if (mode === 'slash') return `/${name} ${prompt}`
  const text = (await readForeignBytes(file, { maxBytes: maxSkillBytes, followLinks: true }))
    .toString('utf8')
    .replaceAll('\0', '')
  return `Follow this skill (its files are in ${folder}):\n\n<skill name="${name}">\n${text.trim()}\n</skill>\n\n${prompt}`
}

interface EndContext {
  harness: HarnessProgram
  verdict: Verdict
  /** True when the program wrote text instead of events, as a user's own script does. */
  isText: boolean
  signal: AbortSignal
  timeoutMs: number
}

function endOf(end: GroupEnd, { harness, verdict, isText, signal, timeoutMs }: EndContext): ExecutionEnd {
  const { product } = harness
  const { status, code: exitCode, gone } = end
  if (status === 'not_started') return notStarted(end, harness)
  if (status === 'cancelled') return { status: 'failed', exitCode, error: String(signal.reason), gone }
  if (status === 'timed_out') return { status: 'timeout', exitCode, error: limitWords(timeoutMs), gone }
  const error = isText && exitCode === 0 ? null : faultOf(exitCode, product, verdict)
  return { status: error === null ? 'completed' : 'failed', exitCode, error, gone }
}

function faultOf(code: number, product: string, { ok, error }: Verdict): string | null {
  const words = error === undefined ? '' : `: ${error}`
  if (ok === undefined)
    return clip(`${product} exited with code ${code} and reported no result${words}`, maxError)
  if (!ok) return clip(`${product} failed${words}`, maxError)
  return code === 0 ? null : `${product} reported success but exited with code ${code}`
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
