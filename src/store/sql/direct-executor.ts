import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteDialect,
} from 'kysely'
import type { Schema } from '../schema/schema.js'

export interface Query extends Pick<CompiledQuery, 'sql' | 'parameters'> {
  /** Runs often, so that one plan for any values is better than a plan for the values of each run. */
  isFixed?: boolean
  /** The one table that it reads, if that changes so rarely that a database far away keeps the answer. */
  kept?: keyof Schema | undefined
}
export type Run = <R>(query: Query) => Promise<QueryResult<R>>
type Breathe = () => Promise<void> | undefined
export type RunEach = (
  insert: InsertStatement,
  rows: Iterable<readonly unknown[]>,
  breathe?: Breathe,
) => Promise<void>

/** Takes numbers of changes without asking the database. @returns the first of them (`ahead.ts`) */
type TakeNumbers = (count: number) => number

/** An insert of one row, also in parts, for a database that inserts many rows with one statement. */
export interface InsertStatement {
  text: string
  /** Up to the values of the first row, and after those of the last one. */
  beginning: string
  ending: string
}

/**
 * Runs a statement without results once per row of values. For many rows, building queries and results would
 * cost as much as SQLite itself.
 * @param breathe called between rows, which may be many
 */
export async function runEach(db: Kysely<Schema>, ...given: Parameters<RunEach>): Promise<void> {
  await executorOf(db).each(...given)
}

/** Returns how a transaction numbers its changes whose statements get no answers; undefined in any other. */
export function numberedAhead(db: Kysely<Schema>): TakeNumbers | undefined {
  return executorOf(db).takeNumbers
}

function executorOf(db: Kysely<Schema>): DirectExecutor {
  const executor = db.getExecutor()
  if (!(executor instanceof DirectExecutor)) throw new Error('the rows are not for the one connection')
  return executor
}

/** Kysely's words for SQLite. */
function sqliteDialect(): Dialect {
  return new SqliteDialect({ database: async () => Promise.reject(new Error('not by a pool')) })
}

/**
 * Creates query builders that run single queries and many rows of one statement through the given functions.
 */
export function createQueryBuilder(
  run: Run,
  each: RunEach,
  dialect = sqliteDialect(),
  takeNumbers?: TakeNumbers,
): Kysely<Schema> {
  return new Kysely<Schema>({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor: new DirectExecutor(dialect, run, each, takeNumbers),
  })
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly #run: Run
  readonly #each: RunEach

  constructor(
    dialect: Dialect,
    run: Run,
    each: RunEach,
    readonly takeNumbers: TakeNumbers | undefined,
  ) {
    const connection: DatabaseConnection = {
      executeQuery: run,
      streamQuery: () => {
        throw new Error('rows are read in batches, not streamed')
      },
    }
    super(dialect.createQueryCompiler(), dialect.createAdapter(), {
      provideConnection: consumer => consumer(connection),
    })
    this.#run = run
    this.#each = each
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { parameters } = query
    return this.#run<R>(
      parameters.some(hasNul) ? { ...query, parameters: parameters.map(withoutNul) } : query,
    )
  }

  each(insert: InsertStatement, rows: Iterable<readonly unknown[]>, breathe?: Breathe): Promise<void> {
    return this.#each(insert, rowsWithoutNul(rows), breathe)
  }
}

// No text in a store has a NUL: PostgreSQL takes none, and functions of SQLite end a text there.

function hasNul(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(hasNul)
}

function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return hasNul(value) ? (value as string).replaceAll('\0', '') : value
}

function* rowsWithoutNul(rows: Iterable<readonly unknown[]>): Generator<readonly unknown[]> {
  for (const row of rows) yield row.some(hasNul) ? row.map(withoutNul) : row
}
