import { existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '../../lib/files/replace-file.js'
import { migrate } from '../migrations/migrate.js'
import { prepareNew } from './connection/connection.js'
import BetterSqlite from './connection/driver.js'

/** Beside the bundles; sources have none. */
const image = new URL('./new-database.bin', import.meta.url)

/** When the migrations of the image were applied: placed, it says the moment of that. */
export const imageTime = new Date(0)

/** An empty database of the newest schema. The build keeps one, since making the tables takes some 50 ms. */
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
 * Puts an empty database where there is none, nor what is left of one; migrations make it where the build kept none.
 * @throws node's error; nothing is left of it then.
 */
export function placeNewDatabase(file: string, now: Date): void {
  const isTaken = [file, `${file}-wal`, `${file}-journal`].some(path => existsSync(path))
  if (isTaken || !existsSync(image)) return
  replaceFile(file, withLog(dated(readFileSync(image), now)), 0o600)
}

/** The build could not know when this one is made. Times are of one length, so that its bytes are overwritten. */
function dated(database: Buffer, now: Date): Buffer {
  const [built, made] = [imageTime, now].map(time => Buffer.from(time.toISOString())) as [Buffer, Buffer]
  for (let at = database.indexOf(built); at >= 0; at = database.indexOf(built, at + built.length))
    made.copy(database, at)
  return database
}

/** SQLite's header says here by which versions of the format the file is written and read; 2 is the one with a log. */
const formatVersions = { from: 18, to: 20, withLog: 2 }

/** A database with a log (WAL) from the first: to give it one, its first connection would wait for the disk six times. */
function withLog(database: Buffer): Buffer {
  const { from, to, withLog: version } = formatVersions
  return database.fill(version, from, to)
}
