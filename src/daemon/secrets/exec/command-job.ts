import type { CommandResult, CommandState } from '../../../contract/secrets/exec.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { BoundedOutput } from '../../platform/processes/bounded-output.js'
import type { References } from './injected-values.js'

export interface CommandRequest {
  caller: Pick<Caller, 'actor' | 'peer'>
  command: string
  references: References
  timeoutMs: number
  cwd: string
  /** Starts when somebody reads its output, and ends when they go. */
  attached: boolean
}

export type OutputStream = 'stdout' | 'stderr'

/** Somebody who reads the output of a command as it comes. */
export interface Follower {
  /** The command waits while a promise is pending. */
  take(stream: OutputStream, chunk: Buffer): void | Promise<void>
  ended(): void
}

/** How a command ended. */
export type CommandEnd = Pick<CommandState, 'error'> & {
  status: 'completed' | 'failed'
  result?: Pick<CommandResult, 'code' | 'timedOut' | 'durationMs'>
  /** Resolves when nothing that it started is left. */
  gone?: Promise<void>
}

/** One command from its admission to its end; it lives in memory. */
export class CommandJob {
  readonly followers = new Set<Follower>()
  /** Its reason is the sentence that the command failed with. */
  readonly #cancelling = new AbortController()
  #state: CommandState
  #output: Readonly<Record<OutputStream, BoundedOutput>> | undefined = {
    stdout: new BoundedOutput(),
    stderr: new BoundedOutput(),
  }

  constructor(
    readonly id: string,
    readonly request: CommandRequest,
    createdAt: string,
  ) {
    this.#state = { id, status: 'queued', createdAt, timeoutMs: request.timeoutMs }
  }

  get state(): CommandState {
    return this.#state
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal
  }

  get hasEnded(): boolean {
    return this.#state.status === 'completed' || this.#state.status === 'failed'
  }

  /** Bytes, roughly. */
  get size(): number {
    const { stdout = '', stderr = '' } = this.#state.result ?? {}
    return stdout.length + stderr.length
  }

  cancel(why: string): void {
    this.#cancelling.abort(why)
  }

  begin(at: string): void {
    this.#state = { ...this.#state, status: 'running', startedAt: at }
  }

  /** Keeps what a command printed, without values, and tells those who follow it. */
  async add(stream: OutputStream, chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return
    this.#output?.[stream].add(chunk)
    await Promise.all([...this.followers].map(follower => follower.take(stream, chunk)))
  }

  /** What is kept so far, for who comes late. */
  kept(stream: OutputStream): ReturnType<BoundedOutput['parts']> {
    const { [stream]: text = '' } = this.#state.result ?? {}
    return this.#output?.[stream].parts() ?? { head: Buffer.from(text), leftOut: 0, tail: Buffer.alloc(0) }
  }

  end(at: string, { status, error, result }: CommandEnd): void {
    this.#state = {
      ...this.#state,
      status,
      ...(error !== undefined && { error }),
      finishedAt: at,
      ...(result && { result: this.#result(result) }),
    }
    this.#output = undefined
    for (const follower of this.followers) follower.ended()
    this.followers.clear()
  }

  #result(ended: Pick<CommandResult, 'code' | 'timedOut' | 'durationMs'>): CommandResult {
    const [stdout, stderr] = [this.#output?.stdout.text(), this.#output?.stderr.text()]
    const truncated = { stdout: stdout?.leftOut ?? 0, stderr: stderr?.leftOut ?? 0 }
    return { stdout: stdout?.text ?? '', stderr: stderr?.text ?? '', truncated, ...ended }
  }
}
