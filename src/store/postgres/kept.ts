import type { Query } from '../sql/direct-executor.js'
import type { Answer } from './statements.js'
import { reads } from './statements.js'

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

interface KeptTable {
  answers: Map<string, Answer>
  /** Rises with each change. */
  version: number
  isChanging: boolean
}

/** Answers of one table, such as those about its agents. */
const mostAnswers = 1000

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
