import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteDialect,
  type SqliteDialectConfig,
} from 'kysely'

/** Keeps writes waiting while another process changes the whole file; reads go on. */
export interface WriteGate {
  /** From now on the first write that comes calls `onWanted`, and all of them wait. Call it between transactions. */
  close(onWanted: () => void): void
  open(): void
  /** Milliseconds since a write was begun; since the gate was made, before the first. */
  quietMs(): number
  /** Resolves when a statement may run; undefined when it may at once. */
  entering(statement: string): Promise<void> | undefined
}

/** Everything else may write: a statement that begins with WITH, too. */
const readOnly = /^\s*(?:select|commit|rollback|savepoint|release)\b/iu

export function createWriteGate(now: () => number = () => performance.now()): WriteGate {
  const state = { wanted: undefined as (() => void) | undefined, lastAt: now() }
  let waiting: (() => void)[] = []
  return {
    close: onWanted => {
      state.wanted = onWanted
    },
    open: () => {
      state.wanted = undefined
      for (const go of waiting) go()
      waiting = []
    },
    quietMs: () => now() - state.lastAt,
    entering: statement => {
      if (readOnly.test(statement)) return undefined
      state.lastAt = now()
      const { wanted } = state
      if (!wanted) return undefined
      return new Promise(resolve => {
        waiting.push(resolve)
        wanted()
      })
    },
  }
}

/** SQLite, whose writes pass a gate. */
export class GatedDialect extends SqliteDialect {
  readonly #gate: WriteGate

  constructor(config: SqliteDialectConfig, gate: WriteGate) {
    super(config)
    this.#gate = gate
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const gate = this.#gate
    return {
      init: () => driver.init(),
      acquireConnection: async () => gated(await driver.acquireConnection(), gate),
      beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
      commitTransaction: connection => driver.commitTransaction(connection),
      rollbackTransaction: connection => driver.rollbackTransaction(connection),
      releaseConnection: connection => driver.releaseConnection(connection),
      destroy: () => driver.destroy(),
    }
  }
}

function gated(connection: DatabaseConnection, gate: WriteGate): DatabaseConnection {
  return {
    executeQuery: <R>(query: CompiledQuery) => {
      const entering = gate.entering(query.sql)
      return entering
        ? entering.then(() => connection.executeQuery<R>(query))
        : connection.executeQuery<R>(query)
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}
