import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

const root = join(import.meta.dirname, '..')
const script = join(root, '.ci', 'postgres')

/** Areas whose tests of the API also run with their memories on a server. */
const areas = /^test\/api\/(?:memory|agents|sessions|platform|knowledge|secrets)\//u
/** Names in a test that looks into the file of SQLite itself, or whose helpers do. */
const ofSqlite =
  /\b(?:openRaw|openTestStore|openReader|openStore|BetterSqlite|noteStatements|migratedDatabase|store(?:Messages|Entities|Graph)|keepNode|putCode)\b|better-sqlite|paths\.database|older-file|damage|new-database/u

/** True for tests of the server itself. */
export const needsServer = file => /^test\/unit\/store\/postgres\//u.test(file)

/** The files that run a second time, on the server. */
export async function onServer(files) {
  const found = await Promise.all(
    files.map(async file => areas.test(file) && !ofSqlite.test(await readFile(join(root, file), 'utf8'))),
  )
  return files.filter((_, place) => found[place])
}

/**
 * Calls `work` with the URL of a server: the one of MEMORY_TEST_POSTGRES, or one of the installed programs,
 * which ends afterwards; undefined where there is none.
 */
export async function withServer(work) {
  if (process.env.MEMORY_TEST_POSTGRES) return work(process.env.MEMORY_TEST_POSTGRES)
  const folder = await mkdtemp(join(tmpdir(), 'memory-service-postgres-'))
  const { stdout, exitCode } = await execa(script, ['start', folder, 'installed'], { reject: false })
  try {
    return await work(exitCode === 0 ? stdout.trim() : undefined)
  } finally {
    if (exitCode === 0) await execa(script, ['stop', folder], { reject: false })
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
