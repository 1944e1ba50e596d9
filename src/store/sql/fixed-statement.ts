import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { rowsOf } from './dialect.js'

/** Places of a statement that are filled with what it is run for. */
export interface Places<Input> {
  value(of: (input: Input) => unknown): RawBuilder<unknown>
  /** The values of a list as rows to select from: one column, `value`. */
  rows(of: (input: Input) => readonly string[], alias: string): RawBuilder<unknown>
}

/** Stands among the values of a statement until there are some. */
class Place<Input> {
  constructor(readonly of: (input: Input) => unknown) {}
}

/**
 * A statement of one text: it is put together once, which costs as much as most runs, and takes values from then on. For
 * those that stand on the way of every recall.
 */
export function fixedStatement<Input, Row>(
  db: Kysely<Schema>,
  build: (places: Places<Input>) => RawBuilder<Row>,
): (input: Input) => Promise<Row[]> {
  const value: Places<Input>['value'] = of => sql`${new Place(of)}`
  const rows: Places<Input>['rows'] = (of, alias) =>
    rowsOf(
      value(input => JSON.stringify(of(input))),
      alias,
    )
  let made: CompiledQuery<Row> | undefined
  return async input => {
    made ??= build({ value, rows }).compile(db)
    const filled = made.parameters.map(one => (one instanceof Place ? one.of(input) : one))
    return (await db.executeQuery<Row>(CompiledQuery.raw(made.sql, filled))).rows
  }
}
