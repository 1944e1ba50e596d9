import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { copyDatabase, inspectDatabase, largestSchema } from '../../../store/sqlite/backup-file.js'
import { type ArchiveFile, readArchive } from './archive/read-archive.js'
import {
  ArchiveFault,
  databasePath,
  innerKeyIn,
  isBackedUp,
  pathIn,
  SealedFault,
  secretsPath,
  walk,
} from './archive/scope.js'
import { writeArchive } from './archive/write-archive.js'
import type {
  ArchiveContents,
  ChildFault,
  CreatedArchive,
  CreateTask,
  FromChild,
  ReadTask,
  Task,
} from './child-messages.js'

/** Free space that must remain after extracting. */
const spareBytes = 64 * 1024 * 1024

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

/**
 * Reads a whole archive, extracts all its files or only the database, checks the database's integrity and
 * compares its row counts with the manifest.
 * @throws ArchiveFault for an archive that is damaged, hostile, or made by a newer release.
 */
async function takeArchive(task: ReadTask, onProgress: OnProgress): Promise<ArchiveContents> {
  await mkdir(task.work, { recursive: true, mode: 0o700 })
  const paths: string[] = []
  let secretsText: string | undefined
  const { header, manifest, sha256 } = await readArchive({
    file: task.file,
    identities: task.identities,
    onHeader: async ({ bytes, schema }) => {
      if (schema > largestSchema)
        throw new ArchiveFault('it was made by a newer memory-service; run memory update first')
      await requireRoom(task.work, bytes)
    },
    onFile: async file => {
      if (file.path !== databasePath) paths.push(file.path)
      const isTaken = task.take === 'all' || file.path === databasePath || file.path === secretsPath
      if (isTaken) await extractFile(pathIn(task.work, file.path), file)
      else for await (const _ of file.content);
      if (file.path === secretsPath) secretsText = await readFile(pathIn(task.work, secretsPath), 'utf8')
    },
    onProgress: onProgress('files'),
  })
  onProgress('checking')(0, 1)
  const database = pathIn(task.work, databasePath)
  const inspected = await inspectDatabase(database).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'SQLITE_CANTOPEN') throw new ArchiveFault('it contains no database')
    throw error
  })
  for (const ending of ['-wal', '-shm']) await rm(database + ending, { force: true, maxRetries: 5 })
  return {
    header,
    sha256,
    paths,
    bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
    memories: inspected.memories,
    tables: inspected.tables,
    problems: [...inspected.problems, ...differences(manifest.tables, inspected.tables)],
    secretsKeyId: innerKeyIn(secretsText),
  }
}

/** Tables whose row counts differ from the manifest. */
function differences(told: Record<string, number>, found: Record<string, number>): string[] {
  return [...new Set([...Object.keys(told), ...Object.keys(found)])]
    .filter(table => told[table] !== found[table])
    .map(table => `${table}: ${told[table] ?? 'no'} rows expected, ${found[table] ?? 'none'} found`)
}

async function extractFile(place: string, { content, mode }: ArchiveFile): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const handle = await open(place, 'wx', mode)
  try {
    // `appendFile` writes each chunk completely or throws; on a full disk a plain write stores a part
    // silently.
    for await (const piece of content) await handle.appendFile(piece)
    await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= bytes + spareBytes) return
  throw Object.assign(new Error('too little room'), { code: 'ENOSPC' })
}
