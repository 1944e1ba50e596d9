import {
  type BinaryOperationNode,
  type Dialect,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type RawNode,
  SqliteDriver,
} from 'kysely'
import type { Run, RunEach } from '../sql/direct-executor.js'
import type { WordedNode } from '../sql/wordings.js'

/** Rows of one insert, and its parameters: the protocol takes 65,535. */
const rowsTogether = 500
const parametersTogether = 30_000

/** Kysely's compiler, which chooses PostgreSQL's words where a fragment has them. */
class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const { postgres } = node as Partial<WordedNode>
    if (postgres) this.visitNode(postgres())
    else super.visitRaw(node)
  }

  /** An empty list holds nothing; PostgreSQL has no form for it. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const list = node.rightOperand
    if (PrimitiveValueListNode.is(list) && list.values.length === 0)
      this.append(OperatorNode.is(node.operator) && node.operator.operator === 'in' ? 'FALSE' : 'TRUE')
    else super.visitBinaryOperation(node)
  }
}

/** The dialect of statements that run through given functions, so it has no driver of its own. */
export const postgresDialect: Dialect = {
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: db => new PostgresIntrospector(db),
  createDriver: () =>
    new SqliteDriver({ database: async () => Promise.reject(new Error('not by a driver')) }),
}

/**
 * Inserts many rows with one statement; the server would answer each row of its own.
 * @param nameOf names a parameter in the statement, and may replace it
 */
export function manyAtOnce(run: Run, nameOf = nameOfParameter): RunEach {
  return async ({ beginning, ending }, rows, breathe) => {
    let together: (readonly unknown[])[] = []
    const send = async (): Promise<void> => {
      const sent = together
      together = []
      if (sent.length === 0) return
      const parameters = sent.flat()
      let place = 0
      const next = (): string => nameOf(parameters, place++)
      const places = sent.map(row => `(${row.map(next).join(', ')})`)
      await run({ sql: `${beginning}${places.join(', ')}${ending}`, parameters })
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

/** @param at from 0 */
export function nameOfParameter(_parameters: unknown[], at: number): string {
  return `$${at + 1}`
}
