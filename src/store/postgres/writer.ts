import { setTimeout as delay } from 'node:timers/promises'
import type { Client, QueryResult } from 'pg'
import { codeOf, isUnavailable } from '../faults.js'
import { createQueryBuilder, type Query, type Run, type RunEach } from '../sql/direct-executor.js'
import type { Work } from '../store.js'
import { createTables } from '../tables/tables.js'
import { createTurns } from '../turns.js'
import { postgresDialect } from './compiler.js'
import {
  endsConnection,
  faultOf,
  isConflict,
  isLocked,
  isLost,
  isReadOnly,
  outwaited,
  reconnectFault,
  undecided,
  wasUndone,
} from './errors.js'
import type { KeptAnswers } from './kept.js'
import { type LastCommit, newestChange } from './last-commit.js'
import type { Sessions } from './sessions.js'
import type { Session } from './settings.js'
import { type Answer, ask, reads } from './statements.js'

/** The writer of a daemon: works have its connections in turn. */
export interface Writer {
  /** A statement outside a transaction. */
  run: Run
  /** A transaction, which is run once more after a conflict with another program. */
  transaction<T>(session: Session, work: Work<T>): Promise<T>
  /** Statements that commit each by itself. */
  executed<T>(work: Work<T>): Promise<T>
  /** Waits for the works before; those that follow fail. */
  end(): Promise<void>
}

const mostTries = 3
const pauseMs = 20
/** It waits for no lock, or for three seconds, so a server that does not answer it is gone. */
const beginMs = 5000
/** How long a caller waits to learn how its commit ended, once the connection was lost. */
const decideMs = 5000
const decidePauseMs = 100

export interface WriterOptions {
  sessions: Sessions
  lastCommit: LastCommit
  /** The lock of a transaction, where other daemons write as well. */
  lock?: string | undefined
  /** The daemon among them; null without others. */
  node: string | null
  /** Called after each transaction, with the newest change of the database. */
  onCommit?: ((change: number) => void) | undefined
  /** Answers to be forgotten when their tables change. */
  kept: KeptAnswers
  /** Called with every error of a statement; the error is thrown as well. */
  onFault(error: unknown): void
}

export function createWriter(options: WriterOptions): Writer {
  const { sessions, lock, node, kept } = options
  const begin = beginOf(lock)
  const turns = createTurns()
  const client = currentClient()
  const state = { isOver: false }
  const { connected, run } = statements(options)
  const inTurn = async <T>(session: Session, work: (own: Client) => Promise<T>): Promise<T> => {
    const turn = turns.take()
    if (turn) await turn
    try {
      if (state.isOver) throw new Error('the store is closed')
      return await work(await connected(session))
    } finally {
      client.clear()
      kept.settle()
      turns.leave()
    }
  }
  const runInside = runOf(client, run)
  const inside = createTables(createQueryBuilder(runInside, manyAtOnce(runInside), postgresDialect), node)
  const atomically = <T>(session: Session, work: Work<T>): Promise<T> =>
    inTurn(session, async first => {
      const opening = begun({ sessions, begin }, first, () => connected(session))
      client.begin(first, opening)
      try {
        const result = await work(inside)
        const own = await opening
        await reported(() => commit(options, session, own), options.onFault)
        return result
      } catch (error) {
        client.clear()
        await opening.then(
          own => rollBack(sessions, own, error),
          () => undefined,
        )
        throw error
      }
    })
  const transaction = <T>(session: Session, work: Work<T>): Promise<T> =>
    runAgain(() => atomically(session, work), lock === undefined ? isConflict : mayRunAgain)
  const alone = <R>(query: Query) =>
    inTurn('firm', own => runAgain(() => run(own, query), isConflict).catch(mayHaveRun)) as Answered<R>
  return {
    run: <R>(query: Query) =>
      lock === undefined ? alone<R>(query) : transaction('firm', () => runInside<R>(query)),
    transaction,
    executed: work =>
      inTurn('loose', own => {
        client.set(own)
        return work(inside)
      }),
    end: async () => {
      await turns.take()
      state.isOver = true
      turns.leave()
    },
  }
}

function beginOf(lock: string | undefined) {
  const text = lock === undefined ? 'BEGIN' : `BEGIN; SELECT pg_advisory_xact_lock(${lock})`
  return { text, query_timeout: beginMs }
}

/** Statements on connections, each reported when it fails. */
function statements({ sessions, kept, onFault }: WriterOptions) {
  const connected = (session: Session): Promise<Client> =>
    reported(async () => {
      try {
        return await sessions[session]()
      } catch (error) {
        throw reconnectFault(error)
      }
    }, onFault)
  const run = (to: Client, query: Query, sent?: ReturnType<typeof answer>) =>
    reported(async () => {
      kept.note(query.sql)
      try {
        return await (sent ?? answer(to, query))
      } catch (error) {
        if (endsConnection(error)) sessions.discard(to)
        throw error
      }
    }, onFault)
  return { connected, run }
}

/** Runs the statements of the work whose turn it is. */
function runOf(client: ReturnType<typeof currentClient>, run: ReturnType<typeof statements>['run']) {
  return async <R>(query: Query) => {
    const { own: first, opening } = client.get()
    if (!opening) return run(first, query) as Answered<R>
    // Sent behind BEGIN in one trip. A change is not: it would be committed if BEGIN were refused.
    const sent = reads(query.sql) ? answer(first, query) : undefined
    sent?.catch(() => undefined)
    const own = await opening
    return run(own, query, own === first ? sent : undefined) as Answered<R>
  }
}

/** Works lose conflicts against other programs only, such as a statement of an administrator. */
async function runAgain<T>(work: () => Promise<T>, mayRun: (error: unknown) => boolean): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (!mayRun(error) || tries >= mostTries) throw error
      await delay(pauseMs * tries)
    }
}

/** Beside other daemons a work that changed nothing runs again also when its connection was lost. */
function mayRunAgain(error: unknown): boolean {
  return isConflict(error) || wasUndone(error)
}

/** A statement commits as it runs. */
function mayHaveRun(error: unknown): never {
  throw endsConnection(error) ? undecided(error) : error
}

/** Begins a transaction; a connection that was lost since its last use is replaced. */
async function begun(
  { sessions, begin }: { sessions: Sessions; begin: { text: string } },
  first: Client,
  next: () => Promise<Client>,
): Promise<Client> {
  const beginOn = async (own: Client): Promise<Client> => {
    try {
      await own.query(begin)
      return own
    } catch (error) {
      if (!isLocked(error)) throw error
      await own.query('ROLLBACK').catch(() => sessions.discard(own))
      throw outwaited(error)
    }
  }
  try {
    return await beginOn(first)
  } catch (error) {
    if (!isLost(error)) throw error
    sessions.discard(first)
  }
  return beginOn(await next()).catch(error => {
    throw faultOf(error)
  })
}

/** A connection that may only read is replaced, since the server may accept changes again. */
async function rollBack(sessions: Sessions, own: Client, error: unknown): Promise<void> {
  if (isUnavailable(error)) return
  if (isReadOnly(error)) return sessions.discard(own)
  await own.query('ROLLBACK').catch(() => sessions.discard(own))
}

/**
 * @throws AppError `storage_unavailable` when it was lost or nobody knows; Error when a statement had failed
 */
async function commit(deps: WriterOptions, session: Session, own: Client): Promise<void> {
  const { lastCommit, sessions, onCommit } = deps
  try {
    const answers = await own.query(lastCommit.statement())
    lastCommit.confirm()
    return onCommit?.(changeIn(answers))
  } catch (error) {
    // The server refuses all further statements when one failed and nobody said so.
    if (codeOf(error) === '25P02')
      throw new Error('a statement of the transaction had failed: nothing was changed')
    if (!isLost(error)) throw error
    sessions.discard(own)
    await decide(deps, session, error)
    if (!lastCommit.isPending())
      return onCommit?.(changeIn(await (await sessions.firm()).query(newestChange)))
    lastCommit.giveUp()
    throw faultOf(error)
  }
}

function changeIn(answers: QueryResult | QueryResult[]): number {
  const rows = [answers].flat().flatMap(({ rows }) => rows as { change: string }[])
  return Number(rows[0]?.change ?? 0)
}

/**
 * Asks by new connections how a commit ended whose answer was lost. These get the lock of the schema only
 * once the server has ended the old one, so the commit is not under way any more.
 */
async function decide(
  { sessions, lastCommit }: WriterOptions,
  session: Session,
  lost: unknown,
): Promise<void> {
  for (const end = performance.now() + decideMs; ; await delay(decidePauseMs))
    try {
      await sessions[session]()
      return await lastCommit.look(await sessions.firm())
    } catch (error) {
      if (isLost(error) && performance.now() < end) continue
      lastCommit.giveUp()
      throw undecided(lost)
    }
}

/** The connection of a work. */
interface Current {
  own: Client
  /** The connection on which its transaction begins, until that is known. */
  opening?: Promise<Client>
}

/** The connection of the work whose turn it is. */
function currentClient() {
  let current: Current | undefined
  return {
    get: (): Current => {
      // The statement would join another caller's transaction.
      if (!current) throw new Error('a statement came after its transaction was over')
      return current
    },
    set: (own: Client): void => {
      current = { own }
    },
    begin: (own: Client, opening: Promise<Client>): void => {
      const begins: Current = { own, opening }
      current = begins
      opening.then(
        begun => {
          if (current === begins) current = { own: begun }
        },
        () => undefined,
      )
    },
    clear: (): void => {
      current = undefined
    },
  }
}

/** Runs a statement as Kysely's builders expect it. */
async function answer<R>(client: Client, query: Query) {
  return resultOf<R>(await ask(client, query))
}

type Answered<R> = ReturnType<typeof answer<R>>

/** Returns an answer as Kysely's builders expect it. */
export function resultOf<R>({ rows, count }: Answer) {
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
