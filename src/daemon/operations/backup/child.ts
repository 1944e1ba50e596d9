import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { copyDatabase, inspectDatabase } from '../../../store/sqlite/backup-file.js'
import { ArchiveFault, SealedFault } from './archive/archive-format.js'
import { databasePath, isBackedUp, pathIn, walk } from './archive/scope.js'
import { writeArchive } from './archive/write-archive.js'
import type { ChildFault, CreatedArchive, CreateTask, FromChild, Task } from './child-messages.js'
import { takeArchive } from './take-archive.js'

// Child process that runs one backup task. Copying, packing and checking a database take seconds to minutes
// of CPU and disk time; a process of its own doesn't block the daemon and can be killed at any moment.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)
process.umask(0o077)

const reportEveryMs = 100
const reported = { at: 0 }

process.once('message', (task: Task) => {
  const onProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => {
    const now = performance.now()
    if (now - reported.at < reportEveryMs) return
    reported.at = now
    sendToDaemon({ type: 'progress', progress: { phase, done, total } })
  }
  const work = task.type === 'create' ? createArchive(task, onProgress) : takeArchive(task, onProgress)
  // The daemon kills this process after receiving the answer: exiting here could lose the message.
  work.then(
    result => sendToDaemon({ type: 'done', result }),
    (error: unknown) => sendToDaemon({ type: 'fault', fault: faultOf(error) }),
  )
})

function sendToDaemon(message: FromChild): void {
  process.send?.(message)
}

function faultOf(error: unknown): ChildFault {
  if (error instanceof SealedFault) return { kind: 'sealed', message: error.message }
  if (error instanceof ArchiveFault) return { kind: 'refused', message: error.message }
  const full = storageFault(error)
  if (full) return { kind: 'full', message: full }
  return { kind: 'failed', message: messageOf(error) }
}

type OnProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => void

/**
 * Copies the database at one moment, checks and counts the copy, and packs it with all other files. A faulty
 * database is backed up unchanged, and its faults are reported.
 */
async function createArchive(task: CreateTask, onProgress: OnProgress): Promise<CreatedArchive> {
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
      ...files.map(path => ({ path, from: pathIn(task.root, path) })),
    ],
    tables,
    recipients: task.recipients,
    onProgress: onProgress('files'),
  })
  return { ...written, memories, problems }
}
