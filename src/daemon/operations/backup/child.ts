import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { copyDatabase, inspectDatabase } from '../../../store/sqlite/backup-file.js'
import { ArchiveFault } from './archive/archive-fault.js'
import { databasePath, isBackedUp, placeIn, walk } from './archive/scope.js'
import { writeArchive } from './archive/write-archive.js'
import type { ChildFault, Created, CreateTask, FromChild, Task } from './child-messages.js'
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
  return { kind: 'failed', message: messageOf(error) }
}

type OnProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => void

/**
 * The database as it is at one moment, opened and counted, and then all files beside it, as one archive. A database with
 * a fault is backed up as it is, and the fault told.
 */
async function createArchive(task: CreateTask, onProgress: OnProgress): Promise<Created> {
  await mkdir(task.work, { recursive: true, mode: 0o700 })
  const copy = join(task.work, 'memories.db')
  await copyDatabase({ from: task.database, to: copy, onProgress: onProgress('database') })
  onProgress('checking')(0, 1)
  const { problems, schema, memories, tables } = await inspectDatabase(copy)
  const { files } = await walk(task.root, isBackedUp)
  const written = await writeArchive({
    file: task.file,
    header: { ...task.header, schema },
    files: [
      { path: databasePath, from: copy },
      ...files.map(path => ({ path, from: placeIn(task.root, path) })),
    ],
    tables,
    onProgress: onProgress('files'),
  })
  return { ...written, memories, problems }
}
