import type { Kysely, Selectable } from 'kysely'
import type { NodeDutiesTable, NodesTable } from '../../schema/platform-schema.js'
import type { Schema } from '../../schema/schema.js'

export type NodeRow = Selectable<NodesTable>
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
    /**
     * Returns whether this daemon does a periodic work, and takes it when no living node does.
     * @param only the name of the one node that may
     */
    hasDuty: async (name: DutyName, now: string, only?: string): Promise<boolean> => {
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
