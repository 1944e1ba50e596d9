import { existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '../../lib/files/replace-file.js'
import { migrate } from '../migrations/migrate.js'
import { prepareNew } from './connection/connection.js'
import BetterSqlite from './connection/driver.js'

/** The image is next to the bundles; source runs have none. */
const image = new URL('./new-database.bin', import.meta.url)

/** Migration time in the image, replaced when the image is used. */
export const imageTime = new Date(0)

/**
 * Returns an empty database of the newest schema. The build saves it as an image, because creating the tables
 * takes some 50 ms.
 */
export function newDatabase(now: Date): Buffer {
  const connection = new BetterSqlite(':memory:')
  try {
    prepareNew(connection)
    migrate(connection, now)
    return connection.serialize()
  } finally {
    connection.close()
  }
}

/**
 * Writes the empty image unless a database, or the rest of one, exists. Without an image the migrations
 * create the tables.
 * @throws node's error; no partial file is left.
 */
export function placeNewDatabase(file: string, now: Date): void {
  const isTaken = [file, `${file}-wal`, `${file}-journal`].some(path => existsSync(path))
  if (isTaken || !existsSync(image)) return
  replaceFile(file, withLog(withMigrationTime(readFileSync(image), now)), 0o600)
}

/** Replaces the build's time in the image; all times have the same length. */
function withMigrationTime(database: Buffer, now: Date): Buffer {
  const [built, made] = [imageTime, now].map(time => Buffer.from(time.toISOString())) as [Buffer, Buffer]
  for (let at = database.indexOf(built); at >= 0; at = database.indexOf(built, at + built.length))
    made.copy(database, at)
  return database
}

/** Position of the format versions in SQLite's header; version 2 uses a write-ahead log. */
const formatVersions = { from: 18, to: 20, withLog: 2 }

/** Marks the database as WAL from the start, because switching costs the first connection six syncs. */
function withLog(database: Buffer): Buffer {
  const { from, to, withLog: version } = formatVersions
  return database.fill(version, from, to)
}
