import type { ChildProcess } from 'node:child_process'
import { type ChildEntry, startOwnChild } from '../../../../../lib/threads/own-child.js'
import { forkFrom } from '../../../../../lib/threads/thread-url.js'
import type { FromChild, RunProgress, RunReport, RunRequest } from './run-request.js'

const module = { from: import.meta.url, source: './child.ts', bundle: './code-indexing-child.js' }

export type RunOutcome =
  | { outcome: 'done'; report: RunReport; rssBytes: number }
  | { outcome: 'failed'; message: string; code: string | null }
  /** The process crashed or was killed. */
  | { outcome: 'ended'; by: 'memory' | 'silence' | 'itself' }

export interface IndexingChild {
  pid: number | undefined
  isUsable(): boolean
  /** @param signal ends the process; the promise then rejects with its reason */
  run(request: RunRequest, limits: RunLimits): Promise<RunOutcome>
  kill(): void
}

export interface RunLimits {
  /** The process is killed after this time without a message. */
  silenceMs: number
  signal?: AbortSignal | undefined
  onProgress(progress: RunProgress): void
}

export const defaultChild = (): ChildEntry => forkFrom(module)

/**
 * Starts the process that indexes code. `--liftoff-only` selects V8's simple compiler for grammars, because
 * its other one may crash the process.
 */
export function startIndexingChild(entry: ChildEntry): IndexingChild {
  const { process: child, kill, isUsable, whileHeld } = startOwnChild(entry, ['--liftoff-only'])
  return {
    pid: child.pid,
    isUsable,
    kill,
    run: (request, limits) =>
      whileHeld(async () => {
        try {
          const outcome = await runIn(child, request, limits)
          if (outcome.outcome === 'ended') kill()
          return outcome
        } catch (error) {
          kill()
          throw error
        }
      }),
  }
}

function runIn(
  child: ChildProcess,
  request: RunRequest,
  { silenceMs, signal, onProgress }: RunLimits,
): Promise<RunOutcome> {
  signal?.throwIfAborted()
  const ended = new AbortController()
  return new Promise<RunOutcome>((resolve, reject) => {
    const silence = setTimeout(() => resolve({ outcome: 'ended', by: 'silence' }), silenceMs)
    const onMessage = (message: FromChild): void => {
      silence.refresh()
      if (message.type === 'progress') onProgress(message)
      else if (message.type === 'over') resolve({ outcome: 'ended', by: 'memory' })
      else if (message.type === 'failed') resolve({ ...message, outcome: 'failed' })
      else resolve({ ...message, outcome: 'done' })
    }
    const onExit = (): void => resolve({ outcome: 'ended', by: 'itself' })
    child.on('message', onMessage).on('exit', onExit).on('error', reject)
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal })
    ended.signal.addEventListener('abort', () => {
      clearTimeout(silence)
      child.off('message', onMessage).off('exit', onExit).off('error', reject)
    })
    child.send(request, error => (error && child.connected ? reject(error) : undefined))
  }).finally(() => ended.abort())
}
