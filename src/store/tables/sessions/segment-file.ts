import { existsSync, rmSync } from 'node:fs'
import type { Database as Connection } from 'better-sqlite3'
import { hideLimitValue } from '../../sql/dialect.js'
import { postingsSchema, segmentSchema } from '../../sql/segment-schema.js'
import { emptyLog, prepareDerived } from '../../sqlite/connection/connection.js'
import BetterSqlite from '../../sqlite/connection/driver.js'

/** One part of an index on disk: numbered entries and the postings of their words. */
export interface SegmentRow {
  segment: number
  /** Numbered places in the segment, and the entries that still exist. */
  size: number
  live: number
  /** Entries that the postings contain; more than `live` until removed entries are compacted away. */
  kept: number
  /** Total terms of all entries. */
  length: number
  /** Highest change number of an entry. */
  change: number
}

/** The columns a search needs of all places: 32-bit lengths in terms, and 32-bit owner numbers. */
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

/** The segment file of one index; only one thread of one process opens it. */
export type SegmentFile = ReturnType<typeof segmentTables>

/**
 * Opens a file created by `createSegmentFile`.
 * @returns undefined when there is none, or its version differs.
 * @throws Error for an unreadable file.
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

/** Creates an empty file, replacing any existing one. */
export function createSegmentFile(path: string, version: string): SegmentFile {
  removeSegmentFile(path)
  const connection = new BetterSqlite(path)
  prepareDerived(connection)
  connection.exec(segmentSchema)
  connection.prepare('INSERT INTO about (version) VALUES (?)').run(version)
  return segmentTables(connection)
}

export function removeSegmentFile(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true, maxRetries: 5 })
}

function segmentTables(connection: Connection) {
  return {
    ...segmentRows(connection),
    ...entriesOf(connection),
    ...postingsOf(connection),
    /** Runs `work` as one transaction. */
    atOnce: (work: () => void): void => connection.transaction(work)(),
    begin: () => void connection.exec('BEGIN'),
    commit: () => void connection.exec('COMMIT'),
    /** After a full disk no transaction may be left to roll back. */
    rollback: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK')
    },
    /** Empties the write-ahead log, so deleted text does not remain in it. */
    forget: () => emptyLog(connection),
    close: () => void connection.close(),
  }
}

function segmentRows(connection: Connection) {
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
    /** Records the entries and terms left in a segment's postings after compaction. */
    keep: (segment: number, live: number, length: number) => void kept.run(live, length, segment),
    dropSegment: (segment: number) => void drop.run(segment),
    /** Returns the texts used to filter entries, each with its number. */
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
    /** Removes an entry; its postings remain until compaction. */
    dropEntry: (id: string, { segment }: EntryPlace) => {
      remove.run(id)
      miss.run(segment)
    },
    /** Returns the id of the entry at a place; undefined when it was removed. */
    idAt: (segment: number, place: number): string | undefined => idAt.get(segment, place),
    /** Returns the places of a segment that have entries. */
    places: (segment: number): number[] => places.all(segment),
  }
}

/** Prepares the queries on one segment's postings. */
function prepareReads(connection: Connection, segment: number) {
  const name = postingsName(segment)
  return {
    holding: connection.prepare<[string], number>(`SELECT holding FROM ${name} WHERE term = ?`).pluck(),
    data: connection.prepare<[string], Buffer>(`SELECT data FROM ${name} WHERE term = ?`).pluck(),
    after: connection.prepare<[string, number], PostingRow>(
      hideLimitValue(`SELECT term, holding, data FROM ${name} WHERE term > ? ORDER BY term LIMIT ?`),
    ),
    terms: connection
      .prepare<[string, string, number], string>(
        hideLimitValue(`SELECT term FROM ${name} WHERE term > ? AND term < ? ORDER BY term LIMIT ?`),
      )
      .pluck(),
  }
}

function postingsName(segment: number): string {
  return `postings_${segment}`
}

function postingsOf(connection: Connection) {
  const known = new Map<number, ReturnType<typeof prepareReads>>()
  const isThere = connection.prepare<[number], number>('SELECT 1 FROM segments WHERE segment = ?').pluck()
  /** Undefined when the segment was dropped during a search. */
  const reads = (segment: number) => {
    if (!known.has(segment) && isThere.get(segment) === 1)
      known.set(segment, prepareReads(connection, segment))
    return known.get(segment)
  }
  const dropPostings = (segment: number): void => {
    known.delete(segment)
    connection.exec(`DROP TABLE IF EXISTS ${postingsName(segment)}`)
  }
  return {
    /** @returns a function that adds new postings in term order; searches do not see them yet. */
    beginPostings: (segment: number): ((row: PostingRow) => void) => {
      const name = `new_${postingsName(segment)}`
      connection.exec(`DROP TABLE IF EXISTS ${name};${postingsSchema(name)}`)
      const add = connection.prepare(`INSERT INTO ${name} (term, holding, data) VALUES (?, ?, ?)`)
      return ({ term, holding, data }) => void add.run(term, holding, data)
    },
    /** Replaces a segment's postings with the new ones. */
    showPostings: (segment: number): void => {
      dropPostings(segment)
      connection.exec(`ALTER TABLE new_${postingsName(segment)} RENAME TO ${postingsName(segment)}`)
    },
    dropPostings,
    /** Returns the number of entries in a segment that contain a term. */
    holding: (segment: number, term: string): number => reads(segment)?.holding.get(term) ?? 0,
    postings: (segment: number, term: string): Buffer | undefined => reads(segment)?.data.get(term),
    postingsAfter: (segment: number, term: string, limit: number): PostingRow[] =>
      reads(segment)?.after.all(term, limit) ?? [],
    /** Returns the terms of a segment between two terms, both exclusive. */
    termsBetween: (segment: number, from: string, to: string, limit: number): string[] =>
      reads(segment)?.terms.all(from, to, limit) ?? [],
  }
}
