import type { ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupProgress } from '../../../contract/operations/backup.js'
import { forkHidden } from '../../../lib/threads/own-child.js'
import { forkFrom } from '../../../lib/threads/thread-url.js'
import type { ChildFault, FromChild, ResultOf, Task } from './child-messages.js'

const module = { from: import.meta.url, source: './child.ts', bundle: './backup-child.js' }
/** Lower than the daemon's: requests come first. */
const lowPriority = 10

/**
 * Runs a task in a child process that ends with the daemon.
 * @throws AppError `backup_invalid`, `backup_sealed`, `insufficient_storage` or `backup_failed`; the signal's
 * reason when that is aborted.
 */
export async function runChild<T extends Task>(
  task: T,
  { onProgress, signal }: { onProgress: (progress: BackupProgress) => void; signal: AbortSignal },
): Promise<ResultOf<T>> {
  signal.throwIfAborted()
  const { file, execArgv } = forkFrom(module)
  const child = forkHidden(file, [], {
    execArgv,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const abort = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', abort, { once: true })
  try {
    lowerPriority(child)
    child.send(task)
    return (await outcomeOf(child, onProgress)) as ResultOf<T>
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
    child.kill('SIGKILL')
  }
}

function outcomeOf(child: ChildProcess, onProgress: (progress: BackupProgress) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.type === 'progress') onProgress(message.progress)
      else if (message.type === 'done') resolve(message.result)
      else reject(errorOf(message.fault))
    })
    child.on('error', reject)
    child.on('exit', (code, by) =>
      reject(new AppError('backup_failed', `the backup process ended (${by ?? code})`)),
    )
  })
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority)
  } catch {
    // Not every system allows it; the priority stays normal.
  }
}

function errorOf({ kind, message }: ChildFault): AppError {
  if (kind === 'refused') return new AppError('backup_invalid', `the archive cannot be used: ${message}`)
  if (kind === 'sealed')
    return new AppError(
      'backup_sealed',
      `the archive cannot be opened: ${message}; give the recovery code of its workspace, or a secret key of age`,
    )
  if (kind === 'full')
    return new AppError(
      'insufficient_storage',
      `${message}: nothing was changed; free space, or set backup.folder`,
    )
  return new AppError('backup_failed', message)
}
