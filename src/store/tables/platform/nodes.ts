import { type Expression, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { NodeDutiesTable, NodesTable } from '../../schema/platform-schema.js'
import type { Schema } from '../../schema/schema.js'

export type NodeRow = Selectable<NodesTable>
/** A node as texts name it. */
export type NamedNode = Pick<NodeRow, 'name' | 'url' | 'stopping_since'>
/** A periodic work with the node that does it. */
export type DutyRow = Selectable<NodeDutiesTable>

/** Periodic works that one of several daemons does. */
export type DutyName =
  | 'retention'
  | 'session-sweep'
  | 'synthesis'
  | 'dreaming'
  | 'telemetry'
  | 'sources'
  | 'sync'
  | 'tasks'

/** Work on one thing that the daemon which began it does or remembers: the sync of a connector, a command. */
export type HeldName = `${HeldKind}:${string}`
type HeldKind = 'connector' | 'command' | 'repair' | 'code'

/** True for rows whose work a living daemon does. @param id the column that names the thing */
export function isHeld(kind: HeldKind, id: Expression<string>): Expression<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM node_duties AS duty JOIN nodes ON nodes.id = duty.node
    WHERE duty.name = ${`${kind}:`} || ${id})`
}

/** The daemons that share the database (postgres.md). One that serves alone writes nothing here. */
export function nodesTable(db: Kysely<Schema>, node: string | null) {
  return {
    /** The id of this daemon; null while it serves alone. */
    own: node,
    all: (): Promise<NodeRow[]> => db.selectFrom('nodes').selectAll().orderBy('name').orderBy('id').execute(),
    duties: (): Promise<DutyRow[]> => db.selectFrom('node_duties').selectAll().orderBy('name').execute(),
    /** Notes that this daemon lives. */
    beat: async (row: Omit<NodeRow, 'id'>): Promise<void> => {
      if (node === null) return
      await db
        .insertInto('nodes')
        .values({ id: node, ...row })
        .onConflict(conflict => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    /** Removes a node that was not seen again; if it lives after all, its next beat brings it back. */
    remove: async ({ id, seen_at }: Pick<NodeRow, 'id' | 'seen_at'>): Promise<void> => {
      await db.deleteFrom('nodes').where('id', '=', id).where('seen_at', '=', seen_at).execute()
    },
    /** Gives back the duties of this daemon, and removes it. */
    leave: async (): Promise<void> => {
      if (node === null) return
      await db.deleteFrom('node_duties').where('node', '=', node).execute()
      await db.deleteFrom('nodes').where('id', '=', node).execute()
    },
    /** Gives back the duties of daemons that are gone. */
    dropLost: async (): Promise<void> => {
      if (node === null) return
      await db.deleteFrom('node_duties').where(sql<boolean>`node NOT IN (SELECT id FROM nodes)`).execute()
    },
    /** Gives back works of this daemon. @param names all without them */
    release: async (names?: readonly HeldName[]): Promise<void> => {
      if (node === null || names?.length === 0) return
      await db
        .deleteFrom('node_duties')
        .where('node', '=', node)
        .$if(names !== undefined, query => query.where('name', 'in', [...(names ?? [])]))
        .execute()
    },
    /** Returns the other living daemon that does a work. */
    otherHolder: async (name: DutyName | HeldName): Promise<NamedNode | undefined> => {
      if (node === null) return undefined
      return db
        .selectFrom('node_duties as duty')
        .innerJoin('nodes as holder', 'holder.id', 'duty.node')
        .select(['holder.name', 'holder.url', 'holder.stopping_since'])
        .where('duty.name', '=', name)
        .where('duty.node', '<>', node)
        .executeTakeFirst()
    },
    /**
     * Returns whether this daemon does a periodic work, and takes it when no living node does.
     * @param only the name of the one node that may
     */
    hasDuty: async (name: DutyName | HeldName, now: string, only?: string): Promise<boolean> => {
      if (node === null) return true
      const found = await db
        .selectFrom('nodes as own')
        .leftJoin('node_duties as duty', join => join.on('duty.name', '=', name))
        .leftJoin('nodes as holder', 'holder.id', 'duty.node')
        .select(['own.name as own', 'duty.node as holder', 'holder.name as living'])
        .where('own.id', '=', node)
        .executeTakeFirst()
      if (!found || (only !== undefined && found.own !== only)) return false
      if (found.holder === node) return true
      if (found.living !== null && (only === undefined || found.living === only)) return false
      const taken = await db
        .insertInto('node_duties')
        .values({ name, node, taken_at: now })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({ node, taken_at: now })
            .where('node_duties.node', '=', found.holder ?? ''),
        )
        .returning('name')
        .executeTakeFirst()
      return taken !== undefined
    },
  }
}
