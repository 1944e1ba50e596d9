import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupProgress } from '../../../contract/operations/backup.js'
import { forkFrom } from '../../../lib/threads/thread-url.js'
import type { ChildFault, FromChild, ResultOf, Task } from './child-messages.js'

const module = { from: import.meta.url, source: './child.ts', bundle: './backup-child.js' }
/** Below that of the daemon: requests come first. */
const lowPriority = 10

/**
 * Does a task in a process of its own, which ends with the daemon.
 * @throws AppError `backup_invalid`, `insufficient_storage` or `backup_failed`; the signal's reason when that is aborted.
 */
export async function runChild<T extends Task>(
  task: T,
  { onProgress, signal }: { onProgress: (progress: BackupProgress) => void; signal: AbortSignal },
): Promise<ResultOf<T>> {
  signal.throwIfAborted()
  const { file, execArgv } = forkFrom(module)
  const child = fork(file, {
    execArgv,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const abort = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', abort, { once: true })
  try {
    lower(child)
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
      reject(new AppError('backup_failed', `the process that works on backups ended (${by ?? code})`)),
    )
  })
}

/** Where the system allows it. */
function lower({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority)
  } catch {
    // It goes on as it is.
  }
}

function errorOf({ kind, message }: ChildFault): AppError {
  if (kind === 'refused') return new AppError('backup_invalid', `the archive is not taken: ${message}`)
  if (kind === 'full')
    return new AppError(
      'insufficient_storage',
      `${message}: nothing was changed; make room, or set backup.folder`,
    )
  return new AppError('backup_failed', message)
}
