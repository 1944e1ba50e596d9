import type { RunStatus } from '../../../contract/agents/tasks.js'
import { clip } from '../../../lib/text/clip.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import type { GroupEnd } from '../../platform/processes/run-group.js'
import type { HarnessProgram } from './harness-programs.js'
import type { OutputStream } from './run-output.js'

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
