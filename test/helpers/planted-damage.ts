import type { Database } from 'better-sqlite3'
import { contentHash, storageContent } from '../../src/daemon/memory/records/normalise-content.js'
import { packedHash } from '../../src/store/sql/packed.js'

type Row = Readonly<Record<string, unknown>>

/** Beyond every retention period. */
export const longAgo = '2020-01-01T00:00:00.000Z'

/** Ids of `count` active memories from an offset on. */
export function someMemories(raw: Database, offset: number, count: number): string[] {
  return raw
    .prepare('SELECT id FROM memories WHERE is_deleted = 0 ORDER BY id LIMIT ? OFFSET ?')
    .pluck()
    .all(count, offset) as string[]
}

/** Inserts a copy of each given row with some columns changed. */
export function copyRows(
  raw: Database,
  { table, key, values }: { table: string; key: string; values: readonly string[] },
  change: (row: Row) => Row,
): void {
  const find = raw.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`)
  for (const value of values) {
    const row = find.get(value) as Row
    const copy = { ...row, ...change(row) }
    const columns = Object.keys(copy)
    raw
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
      .run(...Object.values(copy))
  }
}

/** Copies memories without a vector, with the changes from `change`. */
export function copyMemories(raw: Database, ids: readonly string[], change: (row: Row) => Row): void {
  copyRows(raw, { table: 'memories', key: 'id', values: ids }, row => ({
    embedding_model: null,
    ...change(row),
  }))
}

/** Duplicates texts under different hashes, so that no save detects them. */
export function repeatTexts(raw: Database, ids: readonly string[], changes: number): void {
  copyMemories(raw, ids, row => ({
    id: `copy-${row.id}`,
    content_hash: `copy-${row.id}`,
    change: Number(row.change) + changes,
  }))
}

/** Memories that no daemon wrote: the index of a running daemon lacks them. */
export function addUnseen(
  raw: Database,
  ids: readonly string[],
  { name, changes }: { name: string; changes: number },
): void {
  copyMemories(raw, ids, row => {
    const content = `${name} ${row.content}`
    return {
      id: `${name}-${row.id}`,
      content,
      content_hash: packedHash(contentHash(storageContent(content))),
      change: Number(row.change) + changes,
    }
  })
}

/** Embedding jobs that failed, or are leased by a hanging worker. */
export function putEmbedJobs(
  raw: Database,
  subjects: readonly string[],
  { status = 'dead', attempts = 5 }: { status?: 'dead' | 'leased'; attempts?: number } = {},
): void {
  const now = new Date().toISOString()
  const insert = raw.prepare(
    `INSERT INTO jobs (id, kind, subject, status, attempts, max_attempts, leased_at, run_after, created_at, updated_at)
     VALUES (?, 'embed', ?, ?, ?, 5, ?, ?, ?, ?)`,
  )
  for (const subject of subjects)
    insert.run(
      `${status} ${subject}`,
      subject,
      status,
      attempts,
      status === 'leased' ? longAgo : null,
      now,
      now,
      now,
    )
}

/** Memories without a vector whose back-fill failed. */
export function loseVectors(raw: Database, ids: readonly string[]): void {
  for (const id of ids) {
    raw.prepare('DELETE FROM memory_vectors WHERE memory_id = ?').run(id)
    raw.prepare('UPDATE memories SET embedding_model = NULL WHERE id = ?').run(id)
  }
  putEmbedJobs(raw, ids)
}

/** Marks vectors as made by another model. */
export function setModel(raw: Database, ids: readonly string[], model: string): void {
  const set = raw.prepare('UPDATE memory_vectors SET model = ? WHERE memory_id = ?')
  for (const id of ids) set.run(model, id)
}

/** Memories that have a vector but are not marked as such. */
export function unmarkVectors(raw: Database, ids: readonly string[]): void {
  const set = raw.prepare('UPDATE memories SET embedding_model = NULL WHERE id = ?')
  for (const id of ids) set.run(id)
}

/** Hints of deleted memories. */
export function orphanHints(raw: Database, count: number): void {
  const insert = raw.prepare("INSERT INTO memory_hints VALUES (?, 0, 'h')")
  for (let n = 0; n < count; n++) insert.run(`gone ${n}`)
}

/** Deletes rows without notifying the index. */
export function dropMemories(raw: Database, ids: readonly string[]): void {
  const gone = raw.prepare('DELETE FROM memories WHERE id = ?')
  for (const id of ids) gone.run(id)
}

/** Memories that were forgotten long ago and should have been deleted. */
export function forgetLongAgo(raw: Database, ids: readonly string[]): void {
  const set = raw.prepare('UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE id = ?')
  for (const id of ids) set.run(longAgo, id)
}

/** Entities with a number as their name, which carries no meaning. */
export function addGenericEntities(raw: Database, count: number): void {
  const now = new Date().toISOString()
  const entity = raw.prepare("INSERT INTO entities VALUES (?, 'default', ?, ?, 'concept', 0, 0, NULL, ?, ?)")
  const name = raw.prepare("INSERT INTO entity_names VALUES ('default', ?, ?, ?, 1)")
  for (let n = 1; n <= count; n++) {
    entity.run(`generic ${n}`, String(n), String(n), now, now)
    name.run(String(n), `generic ${n}`, String(n))
  }
}
