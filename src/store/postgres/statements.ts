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

/**
 * Answers about tables that rarely change, such as an agent's policy, which every request asks for. Only this
 * daemon writes, so an answer stays right until a work of its own names the table.
 */
export interface KeptAnswers {
  /** Returns the kept answer of a statement that may be kept, or asks for it. */
  read(query: Query, ask: () => Promise<Answer>): Promise<Answer>
  /** Forgets the answers that a statement may change, before it runs. */
  note(text: string): void
  /** Forgets them again once the work is over: meanwhile others read the rows as they were before it. */
  settle(): void
}

/** Answers of one table, such as those about its agents. */
const mostAnswers = 1000

interface KeptTable {
  answers: Map<string, Answer>
  /** Rises with each change. */
  version: number
  isChanging: boolean
}

export function keepAnswers(): KeptAnswers {
  const tables = new Map<string, KeptTable>()
  /** The work whose turn it is has changed something, maybe in a table that nobody read yet. */
  let isChanging = false
  const tableOf = (name: string): KeptTable => {
    const table = tables.get(name) ?? { answers: new Map(), version: 0, isChanging }
    tables.set(name, table)
    return table
  }
  const change = (table: KeptTable, goesOn: boolean): void => {
    table.answers.clear()
    table.version++
    table.isChanging = goesOn
  }
  return {
    read: async (query, ask) => {
      if (query.kept === undefined) return ask()
      const table = tableOf(query.kept)
      const key = JSON.stringify([query.sql, query.parameters])
      const known = table.answers.get(key)
      if (known) return copyOf(known)
      const { version } = table
      const answer = await ask()
      if (version === table.version && !table.isChanging) {
        if (table.answers.size >= mostAnswers) table.answers.clear()
        table.answers.set(key, copyOf(answer))
      }
      return answer
    },
    note: text => {
      if (reads(text)) return
      isChanging = true
      for (const [name, table] of tables) if (text.includes(name)) change(table, true)
    },
    settle: () => {
      isChanging = false
      for (const table of tables.values()) if (table.isChanging) change(table, false)
    },
  }
}

/** Callers may change their rows. */
function copyOf({ rows, count }: Answer): Answer {
  return { rows: rows.map(row => ({ ...row })), count }
}

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
