import { randomBytes } from 'node:crypto'
import type { ClientBase } from 'pg'
import { StoreChanged } from '../faults.js'

/**
 * A row that each transaction marks as it commits, so that a new connection can tell how the last one ended.
 * Only one daemon at a time writes, so its commits alone change the row (postgres.md#what-is-promised).
 */
export interface LastCommit {
  /** Marks the transaction and commits it. */
  statement(): string
  /** The marked transaction is committed. */
  confirm(): void
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

/** @param onForeign is called before `look` throws */
export function createLastCommit(onForeign: (why: string) => void): LastCommit {
  const instance = randomBytes(8).toString('hex')
  const state: { number: number; known?: string | undefined; pending?: string | undefined } = { number: 0 }
  const foreign = { isTold: false }
  const confirm = (): void => {
    state.known = state.pending
    state.pending = undefined
  }
  return {
    statement: () => {
      state.pending = `${instance} ${++state.number}`
      return `UPDATE last_commit SET mark = '${state.pending}'; COMMIT`
    },
    confirm,
    isPending: () => state.pending !== undefined,
    giveUp: () => {
      state.pending = undefined
    },
    look: async client => {
      const { rows } = await client.query<{ mark: string }>('SELECT mark FROM last_commit')
      const mark = rows[0]?.mark ?? ''
      if (mark === state.pending) return confirm()
      state.known ??= mark
      if (mark === state.known) return
      const why = 'the database changed while this daemon was cut off from it'
      if (!foreign.isTold) onForeign(why)
      foreign.isTold = true
      throw new StoreChanged(`${why}: it ends, and the next command starts it with what is there now`)
    },
  }
}

/** Makes the row. Its table is none of the product: no move copies it (`catalogue.ts`). */
export async function prepareLastCommit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ there: string | null }>(`SELECT to_regclass('last_commit') AS there`)
  if (rows[0]?.there == null)
    await client.query(`CREATE TABLE last_commit WITH (fillfactor = 10) AS SELECT ''::text AS mark`)
}
