import { Readable } from 'node:stream'
import type { CommandState, OutputLine } from '../../../contract/secrets/exec.js'
import * as contract from '../../../contract/secrets/exec.js'
import { type Deferred, deferred } from '../../../lib/concurrency/deferred.js'
import { route } from '../../platform/http/bind.js'
import type { CommandJob, Follower, OutputStream } from './command-job.js'
import { type CommandJobs, commandJobs, folderOf } from './command-jobs.js'

/** Bytes buffered for a slow reader; more is dropped unless the command waits for its reader. */
const maxWaiting = 4 * 1024 * 1024

export const routes = [
  route(contract.runCommand, async (daemon, { caller, body, headers }) =>
    commandJobs.of(daemon).admit(caller, { ...body, cwd: body.cwd ?? (await folderOf(caller, headers)) }),
  ),
  route(contract.runCommandWith, async (daemon, { caller, params: { name }, body, headers }) =>
    commandJobs.of(daemon).admit(caller, {
      ...body,
      cwd: body.cwd ?? (await folderOf(caller, headers)),
      secrets: body.secrets ?? { [name]: name },
    }),
  ),
  route(
    contract.commandStatus,
    async (daemon, { params }) => (await commandJobs.of(daemon).find(params.jobId)).state,
  ),
  route(contract.cancelCommand, async (daemon, { params }) => {
    const { state } = await commandJobs.of(daemon).cancel(params.jobId)
    return state
  }),
  route(contract.commandOutput, async (daemon, { params }) => {
    const jobs = commandJobs.of(daemon)
    return followOutput(jobs, await jobs.find(params.jobId))
  }),
]

/**
 * Streams the output of a command as lines of JSON: its state, the output so far, new output, its end.
 * @see commandOutput
 */
function followOutput(jobs: CommandJobs, job: CommandJob): Readable {
  const room: { opened?: Deferred<void> } = {}
  const open = (): void => {
    room.opened?.resolve()
    delete room.opened
  }
  const life: { leave?: () => void } = {}
  const lines = new Readable({
    read: open,
    destroy: (error, done) => {
      open()
      life.leave?.()
      done(error)
    },
  })
  const write = (line: OutputLine): boolean => lines.push(`${JSON.stringify(line)}\n`)
  const leftOut: Record<OutputStream, number> = { stdout: 0, stderr: 0 }
  const tellLeftOut = (): void => {
    for (const stream of ['stdout', 'stderr'] as const)
      if (leftOut[stream] > 0) {
        write({ stream, leftOut: leftOut[stream] })
        leftOut[stream] = 0
      }
  }
  const follower: Follower = {
    take: (stream, chunk) => {
      const waits = job.request.attached && !job.signal.aborted
      if (!waits && lines.readableLength > maxWaiting) {
        leftOut[stream] += chunk.length
        return
      }
      tellLeftOut()
      if (write({ stream, data: chunk.toString('base64') }) || !waits) return
      room.opened ??= deferred()
      return room.opened.promise
    },
    ended: () => {
      tellLeftOut()
      write({ command: withoutOutput(job.state) })
      lines.push(null)
    },
  }
  job.signal.addEventListener('abort', open)
  write({ command: withoutOutput(job.state) })
  for (const stream of ['stdout', 'stderr'] as const) for (const line of keptLines(job, stream)) write(line)
  if (job.hasEnded) lines.push(null)
  else life.leave = jobs.follow(job, follower)
  return lines
}

function* keptLines(job: CommandJob, stream: OutputStream): Generator<OutputLine> {
  const { head, leftOut, tail } = job.kept(stream)
  if (head.length > 0) yield { stream, data: head.toString('base64') }
  if (leftOut > 0) yield { stream, leftOut }
  if (tail.length > 0) yield { stream, data: tail.toString('base64') }
}

function withoutOutput({ result, ...state }: CommandState) {
  if (!result) return state
  const { stdout: _stdout, stderr: _stderr, ...rest } = result
  return { ...state, result: rest }
}
