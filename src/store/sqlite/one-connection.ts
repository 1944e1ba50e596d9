import type { Kysely, QueryResult, SqliteDatabase } from 'kysely'
import { everyFewMs } from '../../lib/concurrency/every-few-ms.js'
import type { Schema } from '../schema/schema.js'
import { createQueryBuilder, type Query, type Run, type RunEach } from '../sql/direct-executor.js'
import { createTurns } from '../turns.js'
import type { WriteGate } from './commits/write-gate.js'

/** The single connection of a database; statements and transactions use it in turn. */
export interface OneConnection {
  /** For single statements, which wait while the connection is used exclusively. */
  db: Kysely<Schema>
  /** For code that has the connection exclusively; statements run at once. */
  inside: Kysely<Schema>
  /** Runs `work` with exclusive use of the connection. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The same for writing work, which also passes the write gate. */
  writing<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs a transaction inside exclusive use: commits when `work` resolves, rolls back when it fails. A commit
   * after long work may take as long, so the event loop gets a turn before it.
   * @param onCommitted is called with the duration of the commit in milliseconds.
   */
  atomically<T>(work: () => Promise<T>, onCommitted?: (ms: number) => void): Promise<T>
}

/**
 * Kysely takes a connection from a pool per statement and creates objects per transaction, which costs more
 * than most statements. With one synchronous connection a statement is one call, and the objects are reused.
 * @param gate the write gate; a read-only connection has none.
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
    // The statement would join another caller's transaction.
    if (!isInside) throw new Error('a statement came after its transaction was over')
  }
  return {
    db: createQueryBuilder(inTurn, oneByOne(inTurn)),
    inside: createQueryBuilder(
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
    atomically: atomicallyOn(database),
  }
}

function atomicallyOn(database: SqliteDatabase): OneConnection['atomically'] {
  return async (work, onCommitted) => {
    const breathe = everyFewMs()
    database.prepare('begin').run([])
    try {
      const result = await work()
      const pause = breathe()
      if (pause) await pause
      const start = performance.now()
      database.prepare('commit').run([])
      onCommitted?.(performance.now() - start)
      return result
    } catch (error) {
      database.prepare('rollback').run([])
      throw error
    }
  }
}

/** Runs one statement per row, each in its turn. */
function oneByOne(run: Run): RunEach {
  return async ({ text: sql }, rows, breathe) => {
    for (const parameters of rows) {
      await run({ sql, parameters })
      const pause = breathe?.()
      if (pause) await pause
    }
  }
}

/** Runs one statement per row inside exclusive use, which is checked again after each pause. */
function atOnce(database: SqliteDatabase, assertInside: () => void): RunEach {
  return async ({ text }, rows, breathe) => {
    const statement = database.prepare(text)
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
