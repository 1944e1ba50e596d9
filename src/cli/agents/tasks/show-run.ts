import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import { taskEvents } from '../../../client/stream.js'
import { agentLine } from '../../../lib/text/agent-lines.js'
import { countOf } from '../../../lib/text/count-of.js'
import { exitCodes } from '../../shell/exit-codes.js'
import { colorsFor, printNote } from '../../terminal/output.js'
import { whileRead } from '../../terminal/spinner.js'
import { plainLines } from '../../terminal/text.js'
import { followRun } from './follow-run.js'
import { endText, type TaskRun } from './task-text.js'

interface OutputLines {
  write(text: string): void
  /** What has no end of line. */
  end(): void
}

export interface RunView {
  json: boolean
  /** As the agent wrote it, also on a terminal. */
  raw: boolean
}

/** Runs of one look: each may hold a MiB of output. */
const pageSize = 3

/** A run of a task; undefined when there is none of this id. @param runId the newest when absent. */
export async function findRun(
  taskId: string,
  runId: string | undefined,
  options: CallOptions,
): Promise<TaskRun | undefined> {
  for (let offset = 0; ; offset += pageSize) {
    const limit = runId === undefined ? 1 : pageSize
    const query = { limit, offset }
    const { runs, total } = await call('GET /api/tasks/:id/runs', { params: { id: taskId }, query }, options)
    const found = runId === undefined ? runs[0] : runs.find(({ id }) => id === runId)
    if (found || runId === undefined || offset + runs.length >= total || runs.length === 0) return found
  }
}

/** Prints the output of a run as it stands, and how it ended. */
export function showRun(run: TaskRun, view: RunView): void {
  const lines = createOutputLines(linesOf(view))
  lines.write(run.output)
  lines.end()
  showEnd(run)
}

/**
 * Prints what a run writes until it has ended; Ctrl-C ends the watching alone. The exit code is 1 for a run that did
 * not complete. @param runId the one that runs now, or the next one, when absent.
 */
export async function watchRun(
  taskId: string,
  runId: string | undefined,
  { view, reach }: { view: RunView; reach: CallOptions },
): Promise<TaskRun | undefined> {
  const signal = whileRead()
  const lines = createOutputLines(linesOf(view))
  const run = await followRun({
    runId,
    signal,
    open: () => taskEvents(taskId, { ...reach, signal }),
    find: id => findRun(taskId, id, reach),
    onOutput: lines.write,
    onGap: characters =>
      printNote(`… ${countOf(characters, 'character')} left out: memory tasks logs has them`),
  })
  lines.end()
  if (run) showEnd(run)
  else {
    process.exitCode = exitCodes.cancelled.code
    if (runId !== undefined) printNote(`The run goes on. To end it: memory tasks cancel ${taskId}`)
  }
  return run
}

function linesOf({ json, raw }: RunView) {
  const told = process.stdout.isTTY === true && !raw
  return { told, out: json ? () => undefined : (text: string) => void process.stdout.write(text) }
}

function showEnd(run: TaskRun): void {
  if (run.completedAt === null) return
  if (run.status !== 'completed') process.exitCode = exitCodes.failure.code
  printNote(endText(run, colorsFor(process.stderr)))
}

/**
 * Prints the output of a run as it comes.
 * @param told true tells a person what the agent did, line by line; false prints what it wrote, as it is.
 */
export function createOutputLines({ told, out }: { told: boolean; out(text: string): void }): OutputLines {
  if (!told) return { write: out, end: () => undefined }
  let rest = ''
  const tell = (line: string): void => {
    const text = agentLine(line)
    if (text !== undefined) out(`${plainLines(text)}\n`)
  }
  return {
    write: text => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) tell(line)
    },
    end: () => {
      if (rest !== '') tell(rest)
      rest = ''
    },
  }
}
