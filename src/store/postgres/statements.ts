import type { ClientBase, QueryArrayResult } from 'pg'
import type { Query } from '../sql/direct-executor.js'
import { textBehind } from '../sql/packed.js'
import { faultOf } from './errors.js'

/** Rows that a statement returned, and the number of rows that it returned or changed. */
export interface Answer {
  rows: Record<string, unknown>[]
  count: number
}

/** Statements with a name on the server, which plans them once; there are some 1,000 with all their forms. */
const mostNames = 1000
/** Texts that ran once, such as inserts of many rows, whose number differs. */
const mostOnce = 2000
const names = new Map<string, string>()
const ranOnce = new Set<string>()

/** A statement gets its name when it runs again. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames || text.length > 20_000) return known
  if (!ranOnce.delete(text)) {
    if (ranOnce.size >= mostOnce) ranOnce.clear()
    ranOnce.add(text)
    return undefined
  }
  const name = `m${names.size}`
  names.set(text, name)
  return name
}

/** Runs a statement. @throws AppError `storage_unavailable`, or the server's error */
export async function ask(client: ClientBase, { sql, parameters }: Query): Promise<Answer> {
  const query = {
    name: nameOf(sql),
    text: sql,
    values: parameters.map(storedValue),
    rowMode: 'array' as const,
  }
  try {
    const result = (await client.query(query)) as QueryArrayResult<unknown[]>
    return { rows: rowsOf(result), count: result.rowCount ?? 0 }
  } catch (error) {
    throw faultOf(error)
  }
}

/** Rows as objects of one shape. The number of a row is not part of it (`rowNumber`). */
function rowsOf({ fields, rows }: QueryArrayResult<unknown[]>): Record<string, unknown>[] {
  const places = fields.flatMap(({ name }, place) => (name === 'rowid' ? [] : [[name, place] as const]))
  return rows.map(values => {
    const row: Record<string, unknown> = {}
    for (const [name, place] of places) row[name] = values[place]
    return row
  })
}

/** A value as the server takes it: packed ids as texts. */
function storedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storedValue)
  return Buffer.isBuffer(value) ? (textBehind(value) ?? value) : value
}

/** Statements that only read run beside a transaction; all others wait for their turn. */
export function reads(text: string): boolean {
  return /^[\s(]*(?:select|with)\b/iu.test(text) && !/\b(?:insert into|update|delete from)\b/iu.test(text)
}
