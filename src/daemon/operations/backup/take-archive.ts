import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inspectDatabase, largestSchema } from '../../../store/sqlite/backup-file.js'
import { ArchiveFault } from './archive/archive-fault.js'
import { type ArchiveFile, readArchive } from './archive/read-archive.js'
import { databasePath, placeIn } from './archive/scope.js'
import type { Read, ReadTask } from './child-messages.js'
import { innerKeyIn, secretsPath } from './secrets-in-backup.js'

type OnProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => void

/** Left free beside what an archive holds. */
const spareBytes = 64 * 1024 * 1024

/**
 * Reads an archive through and takes its files, or its database alone, into a folder; then opens the database, checks
 * that it holds together and compares its rows with those that were counted when it was made.
 * @throws ArchiveFault for an archive that is torn, hostile, or made by a newer release.
 */
export async function takeArchive(task: ReadTask, onProgress: OnProgress): Promise<Read> {
  await mkdir(task.work, { recursive: true, mode: 0o700 })
  const paths: string[] = []
  let secretsText: string | undefined
  const { header, manifest, sha256 } = await readArchive({
    file: task.file,
    onHeader: async ({ bytes, schema }) => {
      if (schema > largestSchema)
        throw new ArchiveFault('a newer memory-service made it: memory update brings this one up to date')
      await requireRoom(task.work, bytes)
    },
    onFile: async file => {
      if (file.path !== databasePath) paths.push(file.path)
      const isTaken = task.take === 'all' || file.path === databasePath || file.path === secretsPath
      if (isTaken) await write(placeIn(task.work, file.path), file)
      else for await (const _ of file.content);
      if (file.path === secretsPath) secretsText = await readFile(placeIn(task.work, secretsPath), 'utf8')
    },
    onProgress: onProgress('files'),
  })
  onProgress('checking')(0, 1)
  const database = placeIn(task.work, databasePath)
  const inspected = await inspectDatabase(database).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'SQLITE_CANTOPEN') throw new ArchiveFault('it holds no database')
    throw error
  })
  for (const ending of ['-wal', '-shm']) await rm(database + ending, { force: true })
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

/** Tables whose rows are not as many as were counted. */
function differences(told: Record<string, number>, found: Record<string, number>): string[] {
  return [...new Set([...Object.keys(told), ...Object.keys(found)])]
    .filter(table => told[table] !== found[table])
    .map(table => `${table}: ${told[table] ?? 'no'} rows were counted, ${found[table] ?? 'none'} are there`)
}

async function write(place: string, { content, mode }: ArchiveFile): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const handle = await open(place, 'wx', mode)
  try {
    // All of each piece, or an error: a full disk takes a part without a word.
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
