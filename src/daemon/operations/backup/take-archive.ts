import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inspectDatabase, largestSchema } from '../../../store/sqlite/backup-file.js'
import { ArchiveFault } from './archive/archive-format.js'
import { type ArchiveFile, readArchive } from './archive/read-archive.js'
import { databasePath, pathIn } from './archive/scope.js'
import type { ArchiveContents, ReadTask } from './child-messages.js'
import { innerKeyIn, secretsPath } from './secrets-in-backup.js'

type OnProgress = (phase: 'database' | 'files' | 'checking') => (done: number, total: number) => void

/** Free space that must remain after extracting. */
const spareBytes = 64 * 1024 * 1024

/**
 * Reads a whole archive, extracts all its files or only the database, checks the database's integrity and
 * compares its row counts with the manifest.
 * @throws ArchiveFault for an archive that is damaged, hostile, or made by a newer release.
 */
export async function takeArchive(task: ReadTask, onProgress: OnProgress): Promise<ArchiveContents> {
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
