import { existsSync, rmSync } from 'node:fs'
import BetterSqlite, { type Database as Connection } from 'better-sqlite3'
import { prepareDerived } from '../../sql/connection.js'
import { segmentSchema } from '../../sql/segment-schema.js'

/** A part of an index on the disk: entries in numbered places, and the postings of their words. */
export interface SegmentRow {
  segment: number
  /** Places, and how many of their entries are still there. */
  size: number
  live: number
  /** Entries that postings speak of: more than `live` until those of the others are taken out. */
  kept: number
  /** Terms in all of its entries. */
  length: number
  /** Highest change of an entry. */
  change: number
}

/** What a search needs of all places of a segment: 32-bit lengths in terms, and 32-bit numbers of owners. */
export interface SegmentColumns {
  lengths: Buffer
  owners: Buffer
}

export interface EntryPlace {
  segment: number
  place: number
  change: number
}

export interface PostingRow {
  term: string
  holding: number
  data: Buffer
}

/** The file of the segments of one index. One process, and one thread of it, has it open. */
export type SegmentFile = ReturnType<typeof segmentTables>

/**
 * Opens what `createSegmentFile` made.
 * @returns undefined when there is none, or one of another version.
 * @throws Error for a file that cannot be read.
 */
export function openSegmentFile(path: string, version: string): SegmentFile | undefined {
  if (!existsSync(path)) return undefined
  const connection = new BetterSqlite(path)
  try {
    prepareDerived(connection)
    const known = connection.prepare<[], string>('SELECT version FROM about').pluck().get()
    if (known === version) return segmentTables(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  connection.close()
  return undefined
}

/** An empty file in the place of any that is there. */
export function createSegmentFile(path: string, version: string): SegmentFile {
  removeSegmentFile(path)
  const connection = new BetterSqlite(path)
  prepareDerived(connection)
  connection.exec(segmentSchema)
  connection.prepare('INSERT INTO about (version) VALUES (?)').run(version)
  return segmentTables(connection)
}

export function removeSegmentFile(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
}

function segmentTables(connection: Connection) {
  return {
    ...wholes(connection),
    ...entriesOf(connection),
    ...postingsOf(connection),
    /** Runs `work` as one transaction. */
    atOnce: (work: () => void): void => connection.transaction(work)(),
    begin: () => void connection.exec('BEGIN'),
    commit: () => void connection.exec('COMMIT'),
    /** After a full disk there may be nothing left to take back. */
    rollback: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK')
    },
    close: () => void connection.close(),
  }
}

function wholes(connection: Connection) {
  const all = connection.prepare<[], SegmentRow>(
    'SELECT segment, size, live, kept, length, change FROM segments ORDER BY segment',
  )
  const add = connection.prepare(
    `INSERT INTO segments (segment, size, live, kept, length, change, lengths, owners)
     VALUES (@segment, @size, @live, @kept, @length, @change, @lengths, @owners)`,
  )
  const columns = connection.prepare<[number], SegmentColumns>(
    'SELECT lengths, owners FROM segments WHERE segment = ?',
  )
  const kept = connection.prepare('UPDATE segments SET kept = ?, length = ? WHERE segment = ?')
  const drop = connection.prepare('DELETE FROM segments WHERE segment = ?')
  const owners = connection.prepare<[], { number: number; fields: string }>(
    'SELECT number, fields FROM owners ORDER BY number',
  )
  const addOwner = connection.prepare('INSERT INTO owners (number, fields) VALUES (?, ?)')
  return {
    segments: (): SegmentRow[] => all.all(),
    addSegment: (row: SegmentRow & SegmentColumns) => void add.run(row),
    columns: (segment: number): SegmentColumns => columns.get(segment) as SegmentColumns,
    /** The postings of a segment speak of so many entries from now on, with so many terms. */
    keep: (segment: number, live: number, length: number) => void kept.run(live, length, segment),
    dropSegment: (segment: number) => void drop.run(segment),
    /** Texts by which entries are filtered, each with its number. */
    owners: () => owners.all(),
    addOwner: (number: number, fields: string) => void addOwner.run(number, fields),
  }
}

function entriesOf(connection: Connection) {
  const add = connection.prepare('INSERT INTO entries (id, segment, place, change) VALUES (?, ?, ?, ?)')
  const find = connection.prepare<[string], EntryPlace>(
    'SELECT segment, place, change FROM entries WHERE id = ?',
  )
  const remove = connection.prepare('DELETE FROM entries WHERE id = ?')
  const miss = connection.prepare('UPDATE segments SET live = live - 1 WHERE segment = ?')
  const idAt = connection
    .prepare<[number, number], string>('SELECT id FROM entries WHERE segment = ? AND place = ?')
    .pluck()
  const places = connection.prepare<[number], number>('SELECT place FROM entries WHERE segment = ?').pluck()
  return {
    addEntry: (id: string, { segment, place, change }: EntryPlace) =>
      void add.run(id, segment, place, change),
    find: (id: string): EntryPlace | undefined => find.get(id),
    /** Takes an entry out; its postings stay. */
    dropEntry: (id: string, { segment }: EntryPlace) => {
      remove.run(id)
      miss.run(segment)
    },
    /** The entry in a place; undefined when it was taken out. */
    idAt: (segment: number, place: number): string | undefined => idAt.get(segment, place),
    /** Places of a segment with entries. */
    places: (segment: number): number[] => places.all(segment),
  }
}

function postingsOf(connection: Connection) {
  const add = connection.prepare('INSERT INTO postings (segment, term, holding, data) VALUES (?, ?, ?, ?)')
  const holding = connection
    .prepare<[number, string], number>('SELECT holding FROM postings WHERE segment = ? AND term = ?')
    .pluck()
  const data = connection
    .prepare<[number, string], Buffer>('SELECT data FROM postings WHERE segment = ? AND term = ?')
    .pluck()
  const after = connection.prepare<[number, string, number], PostingRow>(
    'SELECT term, holding, data FROM postings WHERE segment = ? AND term > ? ORDER BY term LIMIT ?',
  )
  const terms = connection
    .prepare<[number, string, string, number], string>(
      'SELECT term FROM postings WHERE segment = ? AND term > ? AND term < ? ORDER BY term LIMIT ?',
    )
    .pluck()
  const put = connection.prepare('UPDATE postings SET holding = ?, data = ? WHERE segment = ? AND term = ?')
  const drop = connection.prepare('DELETE FROM postings WHERE segment = ? AND term = ?')
  return {
    addPostings: (segment: number, { term, holding: count, data: bytes }: PostingRow) =>
      void add.run(segment, term, count, bytes),
    /** How many entries of a segment hold a term. */
    holding: (segment: number, term: string): number => holding.get(segment, term) ?? 0,
    postings: (segment: number, term: string): Buffer | undefined => data.get(segment, term),
    postingsAfter: (segment: number, term: string, limit: number): PostingRow[] =>
      after.all(segment, term, limit),
    /** Terms of a segment behind one and before another. */
    termsBetween: (segment: number, from: string, to: string, limit: number): string[] =>
      terms.all(segment, from, to, limit),
    putPostings: (segment: number, { term, holding: count, data: bytes }: PostingRow) =>
      void put.run(count, bytes, segment, term),
    dropPostings: (segment: number, term: string) => void drop.run(segment, term),
  }
}
