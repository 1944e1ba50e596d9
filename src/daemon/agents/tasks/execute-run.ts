import type { RunStatus, TaskHarness } from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { readForeignBytes } from '../../../lib/files/open-foreign.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import type { TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Ground } from '../../ground/ground.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import { requireSkill } from '../skills/skill-folder.js'
import { type HarnessProgram, harnessEnvironment, harnessPrograms, type Verdict } from './harness-programs.js'
import type { OutputChunk, RunOutput } from './run-output.js'
import { skillOf } from './task-record.js'
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

export interface ExecutionEnd {
  status: Extract<RunStatus, 'completed' | 'failed' | 'timeout'>
  exitCode: number | null
  error: string | null
  /** Resolves when every process it started has ended. */
  gone?: Promise<void>
}

/** Characters of an error. */
const maxError = 2000

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
  const harness = harnessPrograms[task.harness as TaskHarness]
  const cwd = task.working_directory ?? deps.paths.root
  const fault = await folderFault(cwd)
  if (fault) return failed(`the working directory ${quoted(cwd)} ${fault}`)
  const skill = skillOf(task)
  const input = skill === null ? task.prompt : await withSkill(deps, skill, task.prompt)
  const { runtimeLimitMs: timeoutMs } = deps.configuration().settings.tasks
  const said: { verdict: Verdict; complaint?: string } = { verdict: {} }
  const events = new EventLines(event => {
    said.verdict = harness.judge(said.verdict, event)
  })
  const forward = (stream: 'stdout' | 'stderr', chunk: OutputChunk): void => {
    if (stream === 'stdout') events.add(chunk.data)
    else if (chunk.data.trim() !== '') said.complaint = lastLine(chunk.data)
    if (chunk.data !== '') onOutput(chunk)
  }
  const end = await runGroup(deps, {
    command: [harness.program, ...harness.args],
    input,
    cwd,
    env: harnessEnvironment(deps),
    timeoutMs,
    signal,
    onOutput: async (stream, chunk) => {
      await deps.budget.breathe()
      forward(stream, output.add(stream, chunk))
    },
  })
  for (const stream of ['stdout', 'stderr'] as const) forward(stream, output.end(stream))
  events.end()
  // A program that refuses to start explains itself on stderr and writes no events.
  const verdict = { error: said.complaint, ...said.verdict }
  return endOf(end, { harness, verdict, isText: events.isText, signal, timeoutMs })
}

function lastLine(text: string): string {
  return unscannedLine(text.trimEnd().split('\n').at(-1) ?? '', 300)
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
  const { product, program } = harness
  const { status, code: exitCode, gone } = end
  if (status === 'not_started' && end.isMissing)
    return failed(
      `${program} is not on the PATH of the daemon; install ${product}, then run memory daemon restart in a shell that finds it`,
    )
  if (status === 'not_started') return failed(`${program} could not be started: ${end.error ?? ''}`)
  if (status === 'cancelled') return { status: 'failed', exitCode, error: String(signal.reason), gone }
  if (status === 'timed_out') {
    const error = `ended after ${timeoutMs} ms, the runtime limit (tasks.runtimeLimitMs)`
    return { status: 'timeout', exitCode, error, gone }
  }
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

function failed(error: string): ExecutionEnd {
  return { status: 'failed', exitCode: null, error: clip(error, maxError) }
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
