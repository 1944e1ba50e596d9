import { setTimeout as delay } from 'node:timers/promises'
import type { Client, Pool } from 'pg'
import { createQueryBuilder, type Query, type Run, type RunEach } from '../sql/direct-executor.js'
import type { Work } from '../store.js'
import { createTables } from '../tables/tables.js'
import { createTurns } from '../turns.js'
import { postgresDialect } from './compiler.js'
import { faultOf, isConflict, isLost, undecided } from './errors.js'
import { ask, type Sessions } from './sessions.js'

/** The connection whose commits wait for the disk, or the other one. */
type Session = 'firm' | 'loose'

/** The one writer of a schema: works have its connections in turn. */
export interface Writer {
  /** A statement outside a transaction. */
  run: Run
  /** A transaction, which is run once more after a conflict with another program. */
  transaction<T>(session: Session, work: Work<T>): Promise<T>
  /** Statements that commit each by itself. */
  executed<T>(work: Work<T>): Promise<T>
  /** Waits for the works before; none follows. */
  end(): Promise<void>
}

const conflictPauseMs = 20
const begin = { sql: 'BEGIN', parameters: [] }

/** @param onFault is called with every error of a statement; the error is thrown as well */
export function createWriter(sessions: Sessions, onFault: (error: unknown) => void): Writer {
  const turns = createTurns()
  const client = currentClient()
  const run = (to: Client | Pool, query: Query) => reported(() => answer(to, query), onFault)
  const inTurn = async <T>(session: Session, work: (own: Client) => Promise<T>): Promise<T> => {
    const turn = turns.take()
    if (turn) await turn
    try {
      return await work(await reported(() => sessions[session](), onFault))
    } finally {
      client.clear()
      turns.leave()
    }
  }
  const runInside = <R>(query: Query) => run(client.get(), query) as ReturnType<typeof answer<R>>
  const inside = createTables(createQueryBuilder(runInside, manyAtOnce(runInside), postgresDialect))
  const atomically = <T>(session: Session, work: Work<T>): Promise<T> =>
    inTurn(session, async own => {
      await run(own, begin)
      client.set(own)
      try {
        const result = await work(inside)
        await reported(() => commit(own), onFault)
        return result
      } catch (error) {
        client.clear()
        await own.query('ROLLBACK').catch(() => undefined)
        throw error
      }
    })
  return {
    run: <R>(query: Query) => inTurn('firm', own => run(own, query)) as ReturnType<typeof answer<R>>,
    transaction: async (session, work) => {
      try {
        return await atomically(session, work)
      } catch (error) {
        if (!isConflict(error)) throw error
        await delay(conflictPauseMs)
        return atomically(session, work)
      }
    },
    executed: work =>
      inTurn('loose', own => {
        client.set(own)
        return work(inside)
      }),
    end: async () => {
      await turns.take()
    },
  }
}

/** The connection of the work whose turn it is. */
function currentClient() {
  let current: Client | undefined
  return {
    get: (): Client => {
      // The statement would join another caller's transaction.
      if (!current) throw new Error('a statement came after its transaction was over')
      return current
    },
    set: (client: Client): void => {
      current = client
    },
    clear: (): void => {
      current = undefined
    },
  }
}

/** Runs a statement as Kysely's builders expect it. */
export async function answer<R>(client: Client | Pool, query: Query) {
  const { rows, count } = await ask(client, query)
  return { rows: rows as R[], numAffectedRows: BigInt(count) }
}

/** Calls `onFault` with an error, in the words of callers. */
export async function reported<T>(work: () => Promise<T>, onFault: (error: unknown) => void): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = faultOf(error)
    onFault(fault)
    throw fault
  }
}

/**
 * @throws AppError `storage_unavailable` when nobody knows how it ended; Error when a statement had failed
 */
async function commit(client: Client): Promise<void> {
  const { command } = await client.query('COMMIT').catch(error => {
    throw isLost(error) ? undecided(error) : error
  })
  // The server rolls back instead, without an error, when a statement failed and nobody said so.
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed: nothing was changed')
}

/** Rows of one insert, and its parameters: the protocol takes 65,535. */
const rowsTogether = 500
const parametersTogether = 30_000

/** Inserts many rows with one statement; the server would answer each row of its own. */
export function manyAtOnce(run: Run): RunEach {
  return async ({ beginning, ending }, rows, breathe) => {
    let together: (readonly unknown[])[] = []
    const send = async (): Promise<void> => {
      const sent = together
      together = []
      if (sent.length === 0) return
      let place = 0
      const places = sent.map(row => `(${row.map(() => `$${++place}`).join(', ')})`)
      await run({ sql: `${beginning}${places.join(', ')}${ending}`, parameters: sent.flat() })
    }
    for (const row of rows) {
      together.push([...row])
      if (together.length >= Math.min(rowsTogether, parametersTogether / row.length)) await send()
      const pause = breathe?.()
      if (pause) await pause
    }
    await send()
  }
}
