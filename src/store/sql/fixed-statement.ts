import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { rowsOf } from './dialect.js'

const { query, queryId } = CompiledQuery.raw('')

/** A statement as it is run. Kysely's own way makes a name of random letters for each. */
export function queryOf<Row>(text: string, values: readonly unknown[]): CompiledQuery<Row> {
  return { query, queryId, sql: text, parameters: values }
}

/** Places of a statement that are filled with what it is run for. */
export interface Places<Input> {
  value<T = unknown>(of: (input: Input) => T): RawBuilder<T>
  /** The values of a list as rows to select from: one column, `value`. */
  rows(of: (input: Input) => readonly string[], alias: string): RawBuilder<unknown>
}

/** Stands among the values of a statement until there are some. */
class Place<Input> {
  constructor(readonly of: (input: Input) => unknown) {}
}

/** What compiles to a statement: one of Kysely's queries, or text. */
export interface Statement<Row> {
  compile(db: Kysely<Schema>): CompiledQuery<Row>
}

/**
 * A statement of one text: it is put together once, which costs as much as most runs, and takes values from then on. For
 * those that stand on the way of every recall, save or prompt.
 */
export function fixedStatement<Input, Row>(
  db: Kysely<Schema>,
  build: (places: Places<Input>) => Statement<Row>,
): (input: Input) => Promise<Row[]> {
  const value: Places<Input>['value'] = <T>(of: (input: Input) => T) => sql<T>`${new Place(of)}`
  const rows: Places<Input>['rows'] = (of, alias) =>
    rowsOf(
      value(input => JSON.stringify(of(input))),
      alias,
    )
  let made: CompiledQuery<Row> | undefined
  return async input => {
    made ??= build({ value, rows }).compile(db)
    const filled = made.parameters.map(one => (one instanceof Place ? one.of(input) : one))
    return (await db.executeQuery<Row>(queryOf(made.sql, filled))).rows
  }
}

/** Texts that are kept of a statement; what asks for them are few agents in few projects. */
const mostTexts = 64

/**
 * The same for a statement whose text and some of whose values follow from a shape, such as who reads and what counts:
 * it is put together once for each that comes.
 */
export function shapedStatement<Shape, Input, Row>(
  db: Kysely<Schema>,
  build: (shape: Shape, places: Places<Input>) => Statement<Row>,
): (shape: Shape, input: Input) => Promise<Row[]> {
  const made = new Map<string, (input: Input) => Promise<Row[]>>()
  return (shape, input) => {
    const key = JSON.stringify(shape)
    const statement = made.get(key) ?? fixedStatement<Input, Row>(db, places => build(shape, places))
    if (!made.has(key)) {
      if (made.size >= mostTexts) made.clear()
      made.set(key, statement)
    }
    return statement(input)
  }
}
