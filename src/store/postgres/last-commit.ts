import { randomBytes } from 'node:crypto'
import type { ClientBase, QueryResult } from 'pg'
import { StoreChanged } from '../faults.js'

/**
 * A row that each transaction marks as it commits, so that a new connection can tell how the last one ended.
 * A daemon that serves the schema alone has the only row, so a mark that it does not know means that another
 * one wrote; of several daemons each has a row of its own (postgres.md#what-is-promised).
 */
export interface LastCommit {
  /** Marks the transaction and commits it. */
  statement(): string
  /** The marked transaction is committed. @param answers to `statement` */
  confirm(answers: QueryResult | QueryResult[]): void
  /** The newest change at the last commit that is known. */
  change(): number
  /** False once it is known that the marked transaction is committed. */
  isPending(): boolean
  /** Its caller gets the answer that nobody knows, or that nothing was changed. */
  giveUp(): void
  /**
   * Reads the mark, by a connection that has the lock of the schema.
   * @throws StoreChanged when rows may have changed without this process: another daemon wrote, a commit
   * arrived after all, or the server lost commits in a crash
   */
  look(client: ClientBase): Promise<void>
}

interface Marks {
  number: number
  change: number
  /** The mark of the last transaction that is known to be committed. */
  known?: string | undefined
  pending?: string | undefined
}

/** @param onForeign is called before `look` throws */
export function createLastCommit(onForeign: (why: string) => void): LastCommit {
  const instance = randomBytes(8).toString('hex')
  const state: Marks = { number: 0, change: 0 }
  const end = oneEnd(onForeign)
  return {
    ...marksOf(state),
    statement: () => commitAs(nextMark(state, instance)),
    look: async client => {
      const { rows } = await client.query<{ mark: string }>('SELECT mark FROM last_commit')
      const { mark, change } = partsOf(rows[0]?.mark)
      if (mark === state.pending) return confirm(state, change)
      state.known ??= mark
      if (mark !== state.known) end('the database changed while this daemon was cut off from it')
    },
  }
}

/**
 * The mark of one daemon among several. The feed of changes tells it changes of others, and a commit of its
 * own that arrived after all; only a server that lost commits ends it.
 */
export function createOwnLastCommit(instance: string, onForeign: (why: string) => void): LastCommit {
  const own = `${sharedMark}${instance}`
  const state: Marks = { number: 0, change: 0 }
  const end = oneEnd(onForeign)
  const isMine = `starts_with(mark, '${own} ')`
  return {
    ...marksOf(state),
    statement: () => commitAs(nextMark(state, own), `AND ${isMine}`),
    look: async client => {
      const { rows } = await client.query<{ mark: string }>(`SELECT mark FROM last_commit WHERE ${isMine}`)
      const { mark, change } = partsOf(rows[0]?.mark)
      if (rows.length === 0) {
        // It is new, or others found it gone and removed its row.
        const asked = state.pending
        state.known = nextMark(state, own)
        state.pending = undefined
        await client.query(`INSERT INTO last_commit VALUES ('${state.known}')`)
        if (asked !== undefined) throw new Error('the mark of the last commit was removed')
      } else if (mark === state.pending) confirm(state, change)
      else if (numberOf(mark) < numberOf(state.known)) end('the database server lost changes of this daemon')
      else state.known = mark
    },
  }
}

const beforeChange = ' at change '

/** Marks and commits; the answer has the number of the newest change, which the mark contains too. */
function commitAs(mark: string, where = ''): string {
  return `UPDATE last_commit SET mark = '${mark}${beforeChange}' || value FROM meta WHERE key = 'change' ${where}
    RETURNING value AS change; COMMIT`
}

function partsOf(stored = ''): { mark: string; change: number } {
  const [mark = '', change] = stored.split(beforeChange)
  return { mark, change: Number(change ?? 0) }
}

/** How the marks of daemons begin that serve a schema together. */
const sharedMark = 'one of several: '

function marksOf(state: Marks): Pick<LastCommit, 'confirm' | 'change' | 'isPending' | 'giveUp'> {
  return {
    confirm: answers => confirm(state, changeIn(answers)),
    change: () => state.change,
    isPending: () => state.pending !== undefined,
    giveUp: () => {
      state.pending = undefined
    },
  }
}

function changeIn(answers: QueryResult | QueryResult[]): number {
  const rows = [answers].flat().flatMap(({ rows }) => rows as { change: string }[])
  return Number(rows[0]?.change ?? 0)
}

function confirm(state: Marks, change: number): void {
  state.change = change
  state.known = state.pending
  state.pending = undefined
}

function nextMark(state: Marks, of: string): string {
  state.pending = `${of} ${++state.number}`
  return state.pending
}

function numberOf(mark = ''): number {
  return Number(mark.slice(mark.lastIndexOf(' ') + 1))
}

/** Returns a function that throws, and tells the first time why. */
function oneEnd(onForeign: (why: string) => void) {
  const state = { isTold: false }
  return (why: string): never => {
    if (!state.isTold) onForeign(why)
    state.isTold = true
    throw new StoreChanged(`${why}: it ends, and the next command starts it with what is there now`)
  }
}

/**
 * Makes the table, and removes rows of other daemons: of all, if this one serves the schema alone, else of
 * those that are not connected. The table is none of the product: no move copies it (`catalogue.ts`).
 */
export async function prepareLastCommit(client: ClientBase, isShared = false): Promise<void> {
  const { rows } = await client.query<{ there: string | null }>(`SELECT to_regclass('last_commit') AS there`)
  if (rows[0]?.there == null)
    await client.query(`CREATE TABLE last_commit WITH (fillfactor = 10) AS SELECT ''::text AS mark`)
  if (isShared)
    await client.query(
      `DELETE FROM last_commit WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity a
        WHERE starts_with(mark, '${sharedMark}' || split_part(a.application_name, ' ', 2) || ' '))`,
    )
  else
    await client.query(
      `DELETE FROM last_commit WHERE starts_with(mark, '${sharedMark}');
      INSERT INTO last_commit SELECT '' WHERE NOT EXISTS (SELECT 1 FROM last_commit)`,
    )
}
