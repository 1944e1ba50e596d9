import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from '../../../store/backup/copy-database.js'
import { inspectDatabase } from '../../../store/backup/inspect-database.js'
import { databasePath, isBackedUp, placeIn, walk } from './archive/scope.js'
import { writeArchive } from './archive/write-archive.js'
import type { Created, CreateTask } from './child-messages.js'

type OnProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => void

/**
 * The database as it is at one moment, opened and counted, and then all files beside it, as one archive. A database with
 * a fault is backed up as it is, and the fault told.
 */
export async function createArchive(task: CreateTask, onProgress: OnProgress): Promise<Created> {
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
