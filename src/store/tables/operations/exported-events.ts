import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { HistoryTable, Schema } from '../../schema/schema.js'
import { jsonObjectOf, jsonTextOf } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import { isPackedId, packedId, packedValue, toPack, unpackedId } from '../../sql/packed.js'
import { completed, type Sized, shortOnly, withinBytes } from '../../sql/sized.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 512 * 1024
const maxEvents = 500

type HistoryRow = Selectable<HistoryTable>

/** An event as a file has it, in texts of JSON; `ExportedMemory` says why. */
export type ExportedEvent = Pick<
  HistoryRow,
  'id' | 'memory_id' | 'request_id' | 'change' | 'event' | 'metadata'
> & {
  /** Objects of what stands between the contents and the metadata, and between that and the request. */
  middle: string
  rest: string
  /** Empty where it is the present content of the memory. */
  old_content: string
  new_content: string
}

/** Where reading the history of some memories goes on. */
export type EventPosition = Pick<HistoryRow, 'memory_id' | 'change' | 'id'>

/** Before the first of all. */
const nowhere: EventPosition = { memory_id: '', change: 0, id: '' }

const inEvent = (name: string, column: keyof HistoryRow) => [name, sql.ref(`h.${column}`)] as const

/** All but what may be long. Ids are stored as bytes and become texts where the statement is run, not in it. */
const others = sql`h.id, h.memory_id, h.request_id, h.change, h.event, h.metadata,
  ${jsonObjectOf([
    inEvent('changedBy', 'changed_by'),
    inEvent('actorType', 'actor_type'),
    inEvent('reason', 'reason'),
  ])} AS middle,
  ${jsonObjectOf([inEvent('createdAt', 'created_at'), inEvent('sessionId', 'session_id')])} AS rest`

const itsMemory = sql`m.id = ${unpackedId('h.memory_id')}`
const present = sql`(SELECT m.content FROM memories m WHERE ${itsMemory})`
const changed = sql`COALESCE(n.old_content, n.new_content)`

/** Of an event that began a memory without a text: that of the change that took it away, null where none did. */
const contentThen = sql`(SELECT CASE WHEN ${changed} IS DISTINCT FROM ${present} THEN ${jsonTextOf(changed)} END
    FROM memory_history n
    WHERE n.memory_id = h.memory_id AND (n.change, n.id) > (h.change, h.id) AND ${changed} IS NOT NULL
      AND (SELECT m.version FROM memories m WHERE ${itsMemory}) > 1
    ORDER BY n.change, n.id LIMIT 1)`

const unlessPresent = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`CASE WHEN ${column} = ${present} THEN '' ELSE ${jsonTextOf(column)} END`
const oldContent = sql`CASE WHEN h.old_content IS NULL THEN 'null' ELSE ${unlessPresent(sql`h.old_content`)} END`
const newContent = sql`CASE WHEN h.new_content IS NOT NULL THEN ${unlessPresent(sql`h.new_content`)}
  WHEN h.event = 'created' THEN COALESCE(${contentThen}, '') ELSE 'null' END`
/** Of texts that are left out in the end too: whether they are would take reading all of them. */
const bytes = sql<number>`(COALESCE(octet_length(h.old_content), 0) + COALESCE(octet_length(h.new_content), 0))`

interface Asked {
  ids: readonly string[]
  upTo: number
  after: EventPosition
}

/** The history of memories as it stands in a file. */
export function exportedEvents(db: Kysely<Schema>) {
  const page = fixedStatement<Asked, Sized<ExportedEvent>>(
    db,
    ({ value, rows }) => sql`SELECT ${others}, ${bytes} AS bytes,
        ${shortOnly(bytes, oldContent)} AS old_content, ${shortOnly(bytes, newContent)} AS new_content
      FROM memory_history h
      WHERE h.memory_id IN (SELECT ${packedValue} FROM ${rows(({ ids }) => toPack('id', ids), 'wanted')})
        AND h.change <= ${value(({ upTo }) => upTo)}
        AND (h.memory_id, h.change, h.id) > (${value(({ after }) => packedId(after.memory_id))},
          ${value(({ after }) => after.change)}, ${value(({ after }) => packedId(after.id))})
      ORDER BY h.memory_id, h.change, h.id LIMIT ${sql.lit(maxEvents)}`,
  )
  const longTexts = fixedStatement<
    { memories: readonly string[]; ids: readonly string[] },
    Pick<ExportedEvent, 'id' | 'old_content' | 'new_content'>
  >(
    db,
    ({ rows }) => sql`SELECT h.id, ${oldContent} AS old_content, ${newContent} AS new_content
      FROM memory_history h
      WHERE h.memory_id IN (SELECT ${packedValue} FROM ${rows(({ memories }) => toPack('id', memories), 'theirs')})
        AND h.id IN (SELECT ${packedValue} FROM ${rows(({ ids }) => toPack('id', ids), 'wanted')})`,
  )
  return {
    /** The history of some memories up to a change, by memory and time, behind a position; their ids ascend. */
    eventsAfter: async (
      ids: readonly string[],
      upTo: number,
      after: EventPosition = nowhere,
    ): Promise<ExportedEvent[]> => {
      for (const some of runsAlike(ids)) {
        const isWithin = isPackedId(after.memory_id) === isPackedId(some[0] as string)
        const found = await page({ ids: some, upTo, after: isWithin ? after : nowhere })
        if (found.length === 0) continue
        const fitting = found.slice(0, withinBytes(found, maxBytes).length)
        const memories = [...new Set(fitting.map(event => event.memory_id))]
        return completed(fitting, ids => longTexts({ memories, ids }))
      }
      return []
    },
  }
}

/** Memories whose ids are stored alike stand in the order of these. */
function runsAlike(ids: readonly string[]): string[][] {
  const runs: string[][] = []
  for (const id of ids) {
    const last = runs.at(-1)
    if (last !== undefined && isPackedId(last[0] as string) === isPackedId(id)) last.push(id)
    else runs.push([id])
  }
  return runs
}
