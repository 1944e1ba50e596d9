import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import { taskEvents } from '../../../client/stream.js'
import { agentLine } from '../../../lib/text/agent-lines.js'
import { countOf } from '../../../lib/text/count-of.js'
import { hasIdPart, isIdPart } from '../../../lib/text/uuid.js'
import { exitCodes } from '../../shell/exit-codes.js'
import { colorsFor, printNote } from '../../terminal/output.js'
import { signalOfReader } from '../../terminal/progress.js'
import { plainLines } from '../../terminal/text.js'
import { followRun } from './follow-run.js'
import { endText, type TaskRun } from './task-text.js'

interface OutputLines {
  write(text: string): void
  /** Writes the last line, which has no line end. */
  end(): void
}

export interface RunView {
  json: boolean
  /** Prints the agent's output unchanged, also on a terminal. */
  raw: boolean
}

/** Runs per request; the output of each may have a MiB. */
const pageSize = 3

/** Finds a run of a task; undefined if the id is unknown. @param runId the newest run if absent. */
export async function findRun(
  taskId: string,
  runId: string | undefined,
  options: CallOptions,
): Promise<TaskRun | undefined> {
  for (let offset = 0; ; offset += pageSize) {
    const limit = runId === undefined ? 1 : pageSize
    const query = { limit, offset }
    const { runs, total } = await call('GET /api/tasks/:id/runs', { params: { id: taskId }, query }, options)
    const found =
      runId === undefined
        ? runs[0]
        : runs.find(({ id }) => id === runId || (isIdPart(runId) && hasIdPart(id, runId)))
    if (found || runId === undefined || offset + runs.length >= total || runs.length === 0) return found
  }
}

/** Prints the current output of a run, and its result. */
export function showRun(run: TaskRun, view: RunView): void {
  const lines = createOutputLines(linesOf(view))
  lines.write(run.output)
  lines.end()
  showEnd(run)
}

/**
 * Prints the output of a run until it has ended; Ctrl-C ends only the watching. Sets exit code 1 if the run
 * did not complete. @param runId the current or next run if absent.
 */
export async function watchRun(
  taskId: string,
  runId: string | undefined,
  { view, reach }: { view: RunView; reach: CallOptions },
): Promise<TaskRun | undefined> {
  const signal = signalOfReader()
  const lines = createOutputLines(linesOf(view))
  const run = await followRun({
    runId,
    signal,
    open: () => taskEvents(taskId, { ...reach, signal }),
    find: id => findRun(taskId, id, reach),
    onOutput: lines.write,
    onGap: characters =>
      printNote(`… ${countOf(characters, 'character')} omitted. Full output: memory tasks logs`),
  })
  lines.end()
  if (run) showEnd(run)
  else {
    process.exitCode = exitCodes.cancelled.code
    if (runId !== undefined) printNote(`The run continues. To cancel it: memory tasks cancel ${taskId}`)
  }
  return run
}

function linesOf({ json, raw }: RunView) {
  const readable = process.stdout.isTTY === true && !raw
  return { readable, out: json ? () => undefined : (text: string) => void process.stdout.write(text) }
}

function showEnd(run: TaskRun): void {
  if (run.completedAt === null) return
  if (run.status !== 'completed') process.exitCode = exitCodes.failure.code
  printNote(endText(run, colorsFor(process.stderr)))
}

/**
 * Prints the output of a run as it arrives.
 * @param readable true describes the agent's actions line by line for a person; false prints the output
 * unchanged.
 */
export function createOutputLines({
  readable,
  out,
}: {
  readable: boolean
  out(text: string): void
}): OutputLines {
  if (!readable) return { write: out, end: () => undefined }
  let rest = ''
  const writeLine = (line: string): void => {
    const text = agentLine(line)
    if (text !== undefined) out(`${plainLines(text)}\n`)
  }
  return {
    write: text => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) writeLine(line)
    },
    end: () => {
      if (rest !== '') writeLine(rest)
      rest = ''
    },
  }
}
