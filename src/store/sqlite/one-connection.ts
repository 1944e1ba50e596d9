import type { Kysely, QueryResult, SqliteDatabase } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { type Query, queriesBy, type Run, type RunEach } from '../sql/direct-executor.js'
import type { WriteGate } from './commits/write-gate.js'

/** The one connection of a database: statements and transactions have it one after the other. */
export interface OneConnection {
  /** For statements by themselves: each waits while somebody has the connection alone, and runs at once otherwise. */
  db: Kysely<Schema>
  /** For whoever has the connection alone, and nobody else: statements run at once. */
  inside: Kysely<Schema>
  /** Lets nobody else in until `work` is done. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The same for work that writes: it passes the gate. */
  writing<T>(work: () => Promise<T>): Promise<T>
  /**
   * A transaction of whoever has the connection alone: what `work` did is committed when it resolves, undone when it fails.
   * @param onCommitted hears how many milliseconds the commit took.
   */
  atomically<T>(work: () => Promise<T>, onCommitted?: (ms: number) => void): Promise<T>
}

/**
 * Kysely takes a connection from a pool for each statement and makes new objects for each transaction. Of one connection
 * that answers at once, that cost more than most statements: here a statement is one call, and what is made ready for
 * transactions stays for all of them.
 *
 * @param gate of a connection that writes; one that only reads passes none.
 */
export function oneConnection(database: SqliteDatabase, gate?: WriteGate): OneConnection {
  const turns = createTurns()
  let isInside = false
  const inTurn = async <R>(query: Query): Promise<QueryResult<R>> => {
    const turn = turns.take()
    if (turn) await turn
    try {
      const entering = gate?.entering(query.sql)
      if (entering) await entering
      return resultOf<R>(database, query)
    } finally {
      turns.leave()
    }
  }
  const alone: OneConnection['alone'] = async work => {
    const turn = turns.take()
    if (turn) await turn
    isInside = true
    try {
      return await work()
    } finally {
      isInside = false
      turns.leave()
    }
  }
  const assertInside = (): void => {
    // It would become part of somebody else's transaction.
    if (!isInside) throw new Error('a statement came after its transaction was over')
  }
  return {
    db: queriesBy(inTurn, oneByOne(inTurn)),
    inside: queriesBy(
      async <R>(query: Query) => {
        assertInside()
        return resultOf<R>(database, query)
      },
      atOnce(database, assertInside),
    ),
    alone,
    writing: work =>
      alone(async () => {
        await gate?.entering('begin')
        return work()
      }),
    atomically: async (work, onCommitted) => {
      database.prepare('begin').run([])
      try {
        const result = await work()
        const start = performance.now()
        database.prepare('commit').run([])
        onCommitted?.(performance.now() - start)
        return result
      } catch (error) {
        database.prepare('rollback').run([])
        throw error
      }
    },
  }
}

interface Turns {
  /** Resolves when it is the caller's turn; undefined when it is at once. */
  take(): Promise<void> | undefined
  leave(): void
}

/** First come, first served. */
function createTurns(): Turns {
  const waiting: (() => void)[] = []
  let taken = false
  return {
    take: () => {
      if (taken) return new Promise(resolve => waiting.push(resolve))
      taken = true
      return undefined
    },
    leave: () => {
      const next = waiting.shift()
      if (next) next()
      else taken = false
    },
  }
}

/** Rows of one statement, each in its turn. */
function oneByOne(run: Run): RunEach {
  return async (sql, rows, breathe) => {
    for (const parameters of rows) {
      await run({ sql, parameters })
      const pause = breathe?.()
      if (pause) await pause
    }
  }
}

/** Rows of one statement for whoever has the connection alone, who is asked again behind each pause. */
function atOnce(database: SqliteDatabase, assertInside: () => void): RunEach {
  return async (sql, rows, breathe) => {
    const statement = database.prepare(sql)
    for (const parameters of rows) {
      assertInside()
      statement.run(parameters)
      const pause = breathe?.()
      if (pause) await pause
    }
  }
}

function resultOf<R>(database: SqliteDatabase, { sql, parameters }: Query): QueryResult<R> {
  const statement = database.prepare(sql)
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes } = statement.run(parameters)
  return { numAffectedRows: BigInt(changes), rows: [] }
}
