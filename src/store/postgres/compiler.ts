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
import type { WordedNode } from '../sql/wordings.js'

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
