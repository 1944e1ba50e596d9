import { type OperationNode, type OperationNodeSource, type RawBuilder, type RawNode, sql } from 'kysely'

/** A node of raw SQL that PostgreSQL words differently; SQLite's compiler sees only the node itself. */
export interface WordedNode extends RawNode {
  readonly postgres: () => OperationNode
}

class Worded implements OperationNodeSource {
  constructor(
    readonly sqlite: RawBuilder<unknown>,
    readonly postgres: () => RawBuilder<unknown>,
  ) {}

  toOperationNode(): WordedNode {
    const node = this.sqlite.toOperationNode()
    return { ...(node as RawNode), postgres: () => this.postgres().toOperationNode() }
  }
}

/** SQL in the words of both databases; the compiler of a statement chooses (`postgres/compiler.ts`). */
export function worded<T>(sqlite: RawBuilder<T>, postgres: () => RawBuilder<unknown>): RawBuilder<T> {
  return sql<T>`${new Worded(sqlite, postgres)}`
}
