import { storageFault } from '../../../lib/files/storage-fault.js'
import { ArchiveFault } from './archive/archive-fault.js'
import type { ChildFault, FromChild, Task } from './child-messages.js'
import { createArchive } from './create-archive.js'
import { takeArchive } from './take-archive.js'

// This process does one task of backups and ends. Copying, packing and checking a database take seconds to minutes of
// the processor and the disk; here they leave the daemon alone, and can be ended at any moment.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)
process.umask(0o077)

/** A report is sent so often at most. */
const reportEveryMs = 100
const reported = { at: 0 }

process.once('message', (task: Task) => {
  const onProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => {
    const now = performance.now()
    if (now - reported.at < reportEveryMs) return
    reported.at = now
    tell({ type: 'progress', progress: { phase, done, total } })
  }
  const work = task.type === 'create' ? createArchive(task, onProgress) : takeArchive(task, onProgress)
  // The daemon ends this process once it has the answer: an end of its own might come before that.
  work.then(
    result => tell({ type: 'done', result }),
    (error: unknown) => tell({ type: 'fault', fault: faultOf(error) }),
  )
})

function tell(message: FromChild): void {
  process.send?.(message)
}

function faultOf(error: unknown): ChildFault {
  if (error instanceof ArchiveFault) return { kind: 'refused', message: error.message }
  const full = storageFault(error)
  if (full) return { kind: 'full', message: full }
  return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
}
