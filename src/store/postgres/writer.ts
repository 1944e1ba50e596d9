import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { codeOf } from '../faults.js'
import type { AheadTransaction } from '../group-commit.js'
import { createQueryBuilder, type Query, type Run } from '../sql/direct-executor.js'
import type { Work } from '../store.js'
import { createTables } from '../tables/tables.js'
import { createTurns } from '../turns.js'
import { createRecorder, noteChangeBefore } from './ahead.js'
import { manyAtOnce, postgresDialect } from './compiler.js'
import {
  endsConnection,
  faultOf,
  isConflict,
  isLocked,
  isLost,
  reconnectFault,
  undecided,
  wasUndone,
} from './errors.js'
import type { LastCommit } from './last-commit.js'
import { rollBack, waitedInVain } from './roll-back.js'
import type { Sessions } from './sessions.js'
import type { Session } from './settings.js'
import { type Answer, ask, type KeptAnswers, reads } from './statements.js'

/** The writer of a daemon: works have its connections in turn. */
export interface Writer {
  /** A statement outside a transaction. */
  run: Run
  /** A transaction, which is run once more after a conflict with another program. */
  transaction<T>(session: Session, work: Work<T>): Promise<T>
  /**
   * A transaction whose statements are sent with its commit, in one trip. When it throws another error than
   * `storage_unavailable`, the work is to be done with answers: then the server knows what is there.
   */
  ahead: AheadTransaction
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
      const opening = begun({ sessions, begin, lock }, first, () => connected(session))
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
    ahead: aheadOf({ ...options, begin }, inTurn),
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

type Beginning = WriterOptions & { begin: ReturnType<typeof beginOf> }

function aheadOf(
  deps: Beginning,
  inTurn: <T>(session: Session, work: (own: Client) => Promise<T>) => Promise<T>,
): AheadTransaction {
  const record = createRecorder(deps.node)
  return work =>
    runAgain(async () => {
      const recorded = await record(work)
      return recorded?.results(await inTurn('firm', own => commitAhead(deps, own, recorded.queries)))
    }, mayRunAgain)
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
  { sessions, begin, lock }: Pick<WriterOptions, 'sessions' | 'lock'> & { begin: { text: string } },
  first: Client,
  next: () => Promise<Client>,
): Promise<Client> {
  const beginOn = async (own: Client): Promise<Client> => {
    try {
      await own.query(begin)
      return own
    } catch (error) {
      if (!isLocked(error)) throw error
      return waitedInVain({ sessions, lock }, own, error)
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

/**
 * @throws AppError `storage_unavailable` when it was lost or nobody knows; Error when a statement had failed
 */
async function commit(deps: WriterOptions, session: Session, own: Client): Promise<void> {
  const { lastCommit, onCommit } = deps
  try {
    lastCommit.confirm(await own.query(lastCommit.statement()))
  } catch (error) {
    // The server refuses all further statements when one failed and nobody said so.
    if (codeOf(error) === '25P02')
      throw new Error('a statement of the transaction had failed: nothing was changed')
    if (!isLost(error)) throw error
    await committedAfterAll(deps, session, own, error)
  }
  onCommit?.(lastCommit.change())
}

/** Finds out how a commit ended whose connection was lost. @throws AppError `storage_unavailable` */
async function committedAfterAll(
  deps: WriterOptions,
  session: Session,
  own: Client,
  error: unknown,
): Promise<void> {
  const { lastCommit, sessions } = deps
  sessions.discard(own)
  await decide(deps, session, error)
  if (!lastCommit.isPending()) return
  lastCommit.giveUp()
  throw faultOf(error)
}

/**
 * Sends a whole transaction. @returns the number of its last change
 * @throws AppError `storage_unavailable` when nothing was changed or nobody knows; Error when a statement
 * failed, so that nothing was changed
 */
async function commitAhead(deps: Beginning, own: Client, queries: readonly Query[]): Promise<number> {
  const { begin, lastCommit, kept, onCommit, onFault } = deps
  for (const { sql } of queries) kept.note(sql)
  // Without BEGIN none of them would find its numbers.
  const { before, committed } = inOnePacket(own, () => ({
    before: [
      own.query({ ...begin, text: `${begin.text}; ${noteChangeBefore}` }),
      ...queries.map(query => ask(own, query)),
    ],
    committed: own.query(lastCommit.statement()),
  }))
  try {
    for (const end of await Promise.allSettled([...before, committed]))
      if (end.status === 'rejected') throw end.reason
    lastCommit.confirm(await committed)
  } catch (error) {
    const fault = faultOf(error)
    if (!endsConnection(fault)) return undo(deps, own, error)
    onFault(fault)
    await committedAfterAll(deps, 'firm', own, error)
  }
  onCommit?.(lastCommit.change())
  return lastCommit.change()
}

function inOnePacket<T>({ connection: { stream } }: Client, send: () => T): T {
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** Ends a transaction that was sent as a whole, and of which a statement failed. */
async function undo(deps: WriterOptions, own: Client, error: unknown): Promise<never> {
  deps.lastCommit.giveUp()
  if (isLocked(error)) return waitedInVain(deps, own, error)
  await rollBack(deps.sessions, own, error)
  throw faultOf(error)
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
