import { type Kysely, sql } from 'kysely'
import { shortestIdPart } from '../../../lib/text/uuid.js'
import type { Schema } from '../../schema/schema.js'
import { endOf } from '../../sql/dialect.js'

/** Rows that a part of their id may name, with the columns that have these ids. */
const columns = {
  memory: [['memories', 'id']],
  task: [['scheduled_tasks', 'id']],
  message: [['agent_messages', 'id']],
  document: [['documents', 'id']],
  connector: [['connectors', 'id']],
  source: [['sources', 'id']],
  import: [['transcript_imports', 'id']],
  entity: [['entities', 'id']],
  proposal: [['ontology_proposals', 'id']],
  summary: [['temporal_nodes', 'id']],
  session: [
    ['sessions', 'session_key'],
    ['transcripts', 'session_key'],
  ],
  'project change': [['project_changes', 'id']],
} as const satisfies Record<string, readonly (readonly [keyof Schema, string])[]>

export type IdKind = keyof typeof columns

/** Candidates for one part; the end of a random id has one. */
const maxCandidates = 100
/** Sorts after every character of an id. */
const afterIds = '~'

/** Looks up ids by their beginnings and ends (rules.md 4.4). */
export function idPartsTable(db: Kysely<Schema>) {
  return {
    /** Returns ids that begin or end with a text. @param part at least 6 characters, in lower case */
    matching: async (kind: IdKind, part: string): Promise<string[]> => {
      const end = part.slice(-shortestIdPart)
      const found = columns[kind].map(([table, column]) => {
        const id = sql`${sql.ref(column)}`
        return sql`SELECT ${id} AS id FROM ${sql.table(table)}
          WHERE ${id} >= ${part} AND ${id} < ${part + afterIds}
        UNION SELECT ${id} FROM ${sql.table(table)}
          WHERE ${endOf(id, shortestIdPart)} = ${end} AND ${endOf(id, part.length)} = ${part}`
      })
      const { rows } = await sql<{ id: string }>`
        ${sql.join(found, sql` UNION `)} LIMIT ${maxCandidates}`.execute(db)
      return rows.map(({ id }) => id)
    },
  }
}
