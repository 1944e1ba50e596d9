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
  /** The command starts with the first reader of its output and ends with the last. */
  attached: boolean
}

export type OutputStream = 'stdout' | 'stderr'

/** Reads the output of a command while it runs. */
export interface Follower {
  /** The command pauses while a returned promise is pending. */
  take(stream: OutputStream, chunk: Buffer): void | Promise<void>
  ended(): void
}

export type CommandEnd = Pick<CommandState, 'error'> & {
  status: 'completed' | 'failed'
  result?: Pick<CommandResult, 'code' | 'timedOut' | 'durationMs'>
  /** Resolves when all of the command's processes have ended. */
  gone?: Promise<void>
}

/** One command from its admission to its end, kept in memory only. */
export class CommandJob {
  readonly followers = new Set<Follower>()
  /** The abort reason is the error message of the command. */
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

  /** Approximate size in bytes. */
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

  /** Stores redacted output and passes it to the followers. */
  async add(stream: OutputStream, chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return
    this.#output?.[stream].add(chunk)
    await Promise.all([...this.followers].map(follower => follower.take(stream, chunk)))
  }

  /** The output so far, for late readers. */
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
