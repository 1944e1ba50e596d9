import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { listedRows } from './dialect.js'
import type { Query } from './direct-executor.js'

const { query, queryId } = CompiledQuery.raw('')

/** Creates an executable query; Kysely would generate a random name for each. */
function queryOf<Row>(
  text: string,
  values: readonly unknown[],
  kept: Query['kept'],
): CompiledQuery<Row> & Query {
  return { query, queryId, sql: text, parameters: values, isFixed: true, kept }
}

/** Creates parameters of a statement, filled from the input of each run. */
export interface StatementParameters<Input> {
  value<T = unknown>(of: (input: Input) => T): RawBuilder<T>
  /** A list as rows with one column, `value`. */
  rows(of: (input: Input) => readonly string[], alias: string): RawBuilder<unknown>
}

/** A parameter whose value comes from the input. */
class InputParameter<Input> {
  constructor(readonly of: (input: Input) => unknown) {}
}

/** Anything that compiles to a statement: a Kysely query or raw SQL. */
export interface Statement<Row> {
  compile(db: Kysely<Schema>): CompiledQuery<Row>
}

/**
 * Builds a statement once, which costs as much as most runs, and then only fills in values. Use it for
 * statements that run in every recall, save or prompt.
 * @param kept the one table that it reads, if that rarely changes; no trigger or cascade may add rows to it
 */
export function fixedStatement<Input, Row>(
  db: Kysely<Schema>,
  build: (places: StatementParameters<Input>) => Statement<Row>,
  kept?: Query['kept'],
): (input: Input) => Promise<Row[]> {
  const value: StatementParameters<Input>['value'] = <T>(of: (input: Input) => T) =>
    sql<T>`${new InputParameter(of)}`
  const rows: StatementParameters<Input>['rows'] = (of, alias) =>
    listedRows(
      value(input => JSON.stringify(of(input))),
      value(of),
      alias,
    )
  let made: CompiledQuery<Row> | undefined
  return async input => {
    made ??= build({ value, rows }).compile(db)
    const filled = made.parameters.map(one => (one instanceof InputParameter ? one.of(input) : one))
    return (await db.executeQuery<Row>(queryOf(made.sql, filled, kept))).rows
  }
}

/** Maximum cached texts per statement; few agents and projects need different ones. */
const mostTexts = 64

/**
 * The same for statements whose text depends on options, such as the reader's boundary: built once per
 * combination.
 */
export function shapedStatement<Shape, Input, Row>(
  db: Kysely<Schema>,
  build: (shape: Shape, places: StatementParameters<Input>) => Statement<Row>,
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
