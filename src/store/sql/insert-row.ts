import { CompiledQuery, type Insertable, type Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'

const texts = new Map<string, string>()

/**
 * Inserts one row by a statement whose text is made once for its columns: of a row of many, building and compiling it
 * takes as long as all else of a save's statements.
 * @returns the row as it is stored.
 */
export async function insertRow<Table extends 'memories' | 'memory_history', Row>(
  db: Kysely<Schema>,
  table: Table,
  row: Insertable<Schema[Table]>,
): Promise<Row> {
  const columns = Object.keys(row)
  const key = `${table} ${columns.join()}`
  let text = texts.get(key)
  if (text === undefined) {
    const names = columns.map(name => `"${name}"`).join(', ')
    text = `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING *`
    texts.set(key, text)
  }
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, Object.values(row)))
  return rows[0] as Row
}
