import { type Kysely, type RawBuilder, sql } from 'kysely'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
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

/** Ids of memories compared in one statement, which takes some two milliseconds. */
const idsInSlice = 5000

/** Looks up ids by their beginnings and ends (rules.md 4.4). */
export function idPartsTable(db: Kysely<Schema>) {
  const endsIn = (id: RawBuilder<unknown>, part: string) =>
    sql`${endOf(id, shortestIdPart)} = ${part.slice(-shortestIdPart)} AND ${endOf(id, part.length)} = ${part}`
  /** Walks the index of ids in slices: a person waits some milliseconds, and saves write no index. */
  const memoriesEndingIn = async (part: string): Promise<string[]> => {
    const found: string[] = []
    const breathe = everyFewMs()
    const ends = endsIn(sql.ref('id'), part)
    for (let after: string | null = ''; after !== null; ) {
      const { rows }: { rows: Slice[] } = await sql<Slice>`
        SELECT max(id) AS last, count(CASE WHEN ${ends} THEN 1 END) AS found
        FROM (SELECT id FROM memories WHERE id > ${after} ORDER BY id LIMIT ${idsInSlice}) slice`.execute(db)
      const [slice] = rows as [Slice]
      if (slice.found > 0) {
        const inSlice = sql<{ id: string }>`SELECT id FROM memories
          WHERE id > ${after} AND id <= ${slice.last} AND ${ends}`
        found.push(...(await inSlice.execute(db)).rows.map(({ id }) => id))
      }
      after = slice.last
      await breathe()
    }
    return found
  }
  return {
    /** Returns ids that begin or end with a text. @param part at least 6 characters, in lower case */
    matching: async (kind: IdKind, part: string): Promise<string[]> => {
      const found = columns[kind].flatMap(([table, column]) => {
        const id = sql.ref(column)
        const chosen = sql`SELECT ${id} AS id FROM ${sql.table(table)}`
        const begins = sql`${chosen} WHERE ${id} >= ${part} AND ${id} < ${part + afterIds}`
        return kind === 'memory' ? [begins] : [begins, sql`${chosen} WHERE ${endsIn(id, part)}`]
      })
      const { rows } = await sql<{ id: string }>`
        ${sql.join(found, sql` UNION `)} LIMIT ${maxCandidates}`.execute(db)
      const ids = rows.map(({ id }) => id)
      if (kind !== 'memory') return ids
      return [...new Set([...ids, ...(await memoriesEndingIn(part))])].slice(0, maxCandidates)
    },
  }
}

/** The last id of a slice, null after the end, and how many ids of it match. */
interface Slice {
  last: string | null
  found: number
}
