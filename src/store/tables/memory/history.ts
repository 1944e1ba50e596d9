import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { HistoryTable, Schema } from '../../schema/schema.js'
import { insertRow } from '../../sql/insert-row.js'
import { withinBytes } from '../../sql/sized.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 8 * 1024 * 1024
/** A content of up to so many bytes is told again with every change that left it alone. */
const maxRepeated = 4096

export type HistoryRow = Selectable<HistoryTable>

/** Part of a memory's history, and whether more of it follows. */
export interface HistoryPage {
  events: HistoryRow[]
  more: boolean
}

export function historyTable(db: Kysely<Schema>) {
  const eventsOf = (memoryId: string) => db.selectFrom('memory_history').where('memory_id', '=', memoryId)
  return {
    append: async (event: Insertable<HistoryTable>): Promise<void> => {
      await insertRow(db, 'memory_history', event)
    },
    /** Oldest first; fewer than `limit` when their texts are long, but at least one (rules.md 4.4). */
    of: async (
      memoryId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<HistoryPage> => {
      const sized = await eventsOf(memoryId)
        .select([
          'id',
          sql<number>`COALESCE(octet_length(old_content), 0) + COALESCE(octet_length(new_content), 0)`.as(
            'bytes',
          ),
        ])
        .orderBy('change')
        .orderBy('id')
        .limit(limit + 1)
        .offset(offset)
        .execute()
      const chosen = withinBytes(sized.slice(0, limit), maxBytes)
      if (chosen.length === 0) return { events: [], more: false }
      const events = await eventsOf(memoryId)
        .selectAll()
        .where('id', 'in', chosen)
        .orderBy('change')
        .orderBy('id')
        .execute()
      const after = await contentAfter(db, memoryId, events.at(-1) as HistoryRow)
      return { events: withUnchanged(events, after), more: sized.length > chosen.length }
    },
  }
}

/** The content that an event left behind, when it is short: what the next one took away, or what the memory holds. */
async function contentAfter(
  db: Kysely<Schema>,
  memoryId: string,
  { change, id }: HistoryRow,
): Promise<string | null> {
  const short = (text: string) =>
    sql<string | null>`CASE WHEN octet_length(${sql.raw(text)}) <= ${maxRepeated} THEN ${sql.raw(text)} END`
  const told = 'COALESCE(old_content, new_content)'
  const next = await db
    .selectFrom('memory_history')
    .select(short(told).as('content'))
    .where('memory_id', '=', memoryId)
    .where(sql<boolean>`(change, id) > (${change}, ${id})`)
    .where(sql<boolean>`${sql.raw(told)} IS NOT NULL`)
    .orderBy('change')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next) return next.content
  const memory = await db
    .selectFrom('memories')
    .select(short('content').as('content'))
    .where('id', '=', memoryId)
    .executeTakeFirst()
  return memory?.content ?? null
}

/** A change that left the content alone is stored without it, and told with it (rules.md 2.2). */
function withUnchanged(events: readonly HistoryRow[], after: string | null): HistoryRow[] {
  const told: HistoryRow[] = []
  let content = after
  for (const event of events.toReversed()) {
    const own = event.old_content ?? event.new_content
    if (own !== null) content = Buffer.byteLength(own) <= maxRepeated ? own : null
    const unchanged = event.event === 'modified' && own === null
    told.push(unchanged ? { ...event, old_content: content, new_content: content } : event)
  }
  return told.reverse()
}
