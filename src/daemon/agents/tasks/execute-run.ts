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
import type { OutputPiece, RunOutput } from './run-output.js'
import { skillOf } from './task-record.js'
import { folderFault } from './write-task.js'

/** The longest event that is read; what is longer is output of a tool. */
const maxLength = 2 * 1024 * 1024
const maxSkillBytes = 4 * 1024 * 1024

/** Events that say how a run stands; the others, most of the output, are not parsed. */
const telling = /"type"\s*:\s*"(?:result|error|turn\.(?:completed|failed)|step_finish)"/u

const event = /^\s*\{.*"type"\s*:/u

/** Finds the events in an output of lines of JSON, as it comes. */
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

  /** The last line may have no end. */
  end(): void {
    const line = this.#tooLong ? '' : this.#line
    this.#seen.events ||= this.#tooLong || event.test(line)
    this.#seen.text ||= line.trim() !== ''
    this.#line = ''
    this.#tooLong = false
    if (!telling.test(line)) return
    const told = objectIn(line)
    if (told) this.onEvent(told)
  }

  /** Whether it was text, and no event among it: whoever writes so tells nothing by events. */
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
  /** Its reason is the `error` of the run that it ends. */
  signal: AbortSignal
  onOutput(piece: OutputPiece): void
}

/** How a run ended. */
export interface ExecutionEnd {
  status: Extract<RunStatus, 'completed' | 'failed' | 'timeout'>
  exitCode: number | null
  error: string | null
  /** Resolves when nothing that it started is left. */
  gone?: Promise<void>
}

/** Characters of a reason. */
const maxError = 2000
/** Linux takes 128 KiB for one argument, with its end; Windows 32,767 characters for all. */
const maxArgument = process.platform === 'win32' ? 30_000 : 128 * 1024 - 1

/**
 * Starts the agent of a task and judges how it ended: completed is what the agent itself calls a success and ends with
 * 0; where it writes text instead of events the 0 decides. Bounded by the runtime limit (tasks.md 3.4). Never throws.
 */
export async function executeRun(deps: ExecuteDeps, execution: Execution): Promise<ExecutionEnd> {
  try {
    return await execute(deps, execution)
  } catch (error) {
    if (!(error instanceof AppError)) deps.log.error({ err: error }, 'a run of a task failed in the daemon')
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
  const prompt = await promptOf(deps, task, harness)
  const { runtimeLimitMs: timeoutMs } = deps.configuration().settings.tasks
  const said: { verdict: Verdict; complaint?: string } = { verdict: {} }
  const events = new EventLines(event => {
    said.verdict = harness.judge(said.verdict, event)
  })
  const tell = (stream: 'stdout' | 'stderr', piece: OutputPiece): void => {
    if (stream === 'stdout') events.add(piece.data)
    else if (piece.data.trim() !== '') said.complaint = lastLine(piece.data)
    if (piece.data !== '') onOutput(piece)
  }
  const end = await runGroup(deps, {
    command: [harness.program, ...harness.args(prompt)],
    ...(harness.readsInput && { input: prompt }),
    cwd,
    env: harnessEnvironment(deps),
    timeoutMs,
    signal,
    onOutput: async (stream, chunk) => {
      await deps.budget.breathe()
      tell(stream, output.add(stream, chunk))
    },
  })
  for (const stream of ['stdout', 'stderr'] as const) tell(stream, output.end(stream))
  events.end()
  // A program that refuses to begin says why on its other stream, and nothing in its events.
  const verdict = { error: said.complaint, ...said.verdict }
  return endOf(end, { harness, verdict, isText: events.isText, signal, timeoutMs })
}

function lastLine(text: string): string {
  return unscannedLine(text.trimEnd().split('\n').at(-1) ?? '', 300)
}

/** The prompt as the agent gets it, with the skill of its task. @throws AppError for a skill that is gone. */
async function promptOf(deps: ExecuteDeps, task: TaskRow, { readsInput }: HarnessProgram): Promise<string> {
  const skill = skillOf(task)
  const prompt = skill === null ? task.prompt : await withSkill(deps, skill, task.prompt)
  const bytes = Buffer.byteLength(prompt)
  if (readsInput || bytes <= maxArgument) return prompt
  throw new AppError(
    'payload_too_large',
    `the prompt has ${bytes} bytes with its skill, and a program takes ${maxArgument}; name the skill in the prompt instead`,
  )
}

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
  return `Work by this skill, whose files are in ${folder}:\n\n<skill name="${name}">\n${text.trim()}\n</skill>\n\n${prompt}`
}

interface Judged {
  harness: HarnessProgram
  verdict: Verdict
  /** It wrote text instead of events, as a script of the user's own does: its exit code is all that it told. */
  isText: boolean
  signal: AbortSignal
  timeoutMs: number
}

function endOf(end: GroupEnd, { harness, verdict, isText, signal, timeoutMs }: Judged): ExecutionEnd {
  const { product, program } = harness
  const { status, code: exitCode, gone } = end
  if (status === 'not_started' && end.isMissing)
    return failed(
      `${program} is not on the PATH of the daemon; install ${product}, then restart the daemon where it is found: memory daemon restart`,
    )
  if (status === 'not_started') return failed(`${program} could not be started: ${end.error ?? ''}`)
  if (status === 'cancelled') return { status: 'failed', exitCode, error: String(signal.reason), gone }
  if (status === 'timed_out') {
    const error = `it ran for ${timeoutMs} ms, which is the limit (tasks.runtimeLimitMs), and was ended`
    return { status: 'timeout', exitCode, error, gone }
  }
  const error = isText && exitCode === 0 ? null : faultOf(exitCode, product, verdict)
  return { status: error === null ? 'completed' : 'failed', exitCode, error, gone }
}

function faultOf(code: number, product: string, { ok, error }: Verdict): string | null {
  const words = error === undefined ? '' : `: ${error}`
  if (ok === undefined) return clip(`${product} ended with ${code} and told no result${words}`, maxError)
  if (!ok) return clip(`${product} failed${words}`, maxError)
  return code === 0 ? null : `${product} told a success and ended with ${code}`
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
