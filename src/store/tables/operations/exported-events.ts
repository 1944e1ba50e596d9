import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { HistoryTable, Schema } from '../../schema/schema.js'
import { jsonMembersIn, jsonObjectOf, jsonTextOf, thenJoin } from '../../sql/dialect.js'
import { type Places, shapedStatement } from '../../sql/fixed-statement.js'
import { bytesOfId, isPackedId, packedId, packedValue, toPack, unpackedId } from '../../sql/packed.js'
import { completed, type Sized, withinBytes } from '../../sql/sized.js'
import type { ExportedMemory } from './exported-memories.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 512 * 1024
const maxEvents = 500

type HistoryRow = Selectable<HistoryTable>

/** An event as a file has it. `ExportedMemory` says why it comes in texts of JSON. */
export type ExportedEvent = Pick<HistoryRow, 'memory_id' | 'change'> & {
  /** All of it, where it began a memory that nobody changed since, as most did: then the rest of these is not there. */
  line: string | null
} & Pieces

type Pieces = Pick<HistoryRow, 'id' | 'metadata'> & {
  /** Objects of what stands before the contents, between them and the metadata, and behind that. */
  start: string
  middle: string
  rest: string
  /** Empty where it is the present content of the memory. */
  old_content: string
  new_content: string
}

/** Where reading the history of some memories goes on. */
export type EventPosition = Pick<HistoryRow, 'memory_id' | 'change' | 'id'>

/** Behind an event. */
export function positionBehind({ memory_id, change, id, line }: ExportedEvent): EventPosition {
  return { memory_id, change, id: line === null ? id : JSON.parse(line).id }
}

/** Before the first of all. */
const nowhere: EventPosition = { memory_id: '', change: 0, id: '' }

const inEvent = (name: string, column: keyof HistoryRow) => [name, sql.ref(`h.${column}`)] as const
const id = unpackedId('h.id')
/** The id of the memory, and its version. */
const memoryId = sql<string>`w.key`
const version = sql<number>`w.value`

const start = [
  ['kind', sql.lit('event')],
  ['id', id],
  ['memoryId', memoryId],
  inEvent('event', 'event'),
] as const
const middle = [
  inEvent('changedBy', 'changed_by'),
  inEvent('actorType', 'actor_type'),
  inEvent('reason', 'reason'),
] as const
const rest = [
  inEvent('createdAt', 'created_at'),
  inEvent('sessionId', 'session_id'),
  ['requestId', unpackedId('h.request_id')],
] as const

const isBeginning = sql`(h.event = 'created' AND ${version} = 1 AND h.old_content IS NULL AND h.new_content IS NULL
  AND h.metadata IS NULL)`
const line = jsonObjectOf([...start, ['oldContent', sql`NULL`], ...middle, ['metadata', sql`NULL`], ...rest])

const present = sql`(SELECT m.content FROM memories m WHERE m.id = ${memoryId})`
const changed = sql`COALESCE(n.old_content, n.new_content)`

/** Of an event that began a memory without a text: that of the change that took it away, null where none did. */
const contentThen = sql`CASE WHEN ${version} > 1 THEN
  (SELECT CASE WHEN ${changed} IS DISTINCT FROM ${present} THEN ${jsonTextOf(changed)} END
    FROM memory_history n
    WHERE n.memory_id = h.memory_id AND (n.change, n.id) > (h.change, h.id) AND ${changed} IS NOT NULL
    ORDER BY n.change, n.id LIMIT 1) END`

const unlessPresent = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`CASE WHEN ${column} = ${present} THEN '' ELSE ${jsonTextOf(column)} END`
const oldContent = sql`CASE WHEN h.old_content IS NULL THEN 'null' ELSE ${unlessPresent(sql`h.old_content`)} END`
const newContent = sql`CASE WHEN h.new_content IS NOT NULL THEN ${unlessPresent(sql`h.new_content`)}
  WHEN h.event = 'created' THEN COALESCE(${contentThen}, '') ELSE 'null' END`
/** Of texts that are left out in the end too: whether they are would take reading all of them. */
const bytes = sql<number>`(COALESCE(octet_length(h.old_content), 0) + COALESCE(octet_length(h.new_content), 0))`

interface Asked {
  memories: readonly Told[]
  upTo: number
  after: EventPosition
}

/** A memory whose history is told. */
export type Told = Pick<ExportedMemory, 'id' | 'version'>

/** The history of memories as it stands in a file. */
export function exportedEvents(db: Kysely<Schema>) {
  const page = shapedStatement<boolean, Asked, Sized<ExportedEvent>>(
    db,
    (isPacked, { value }) => sql`SELECT ${memoryId} AS memory_id, h.change, ${bytes} AS bytes,
        CASE WHEN ${isBeginning} THEN ${line} END AS line, CASE WHEN ${isBeginning} THEN '' ELSE ${id} END AS id
      FROM ${historyOf(isPacked, value)}
      WHERE h.change <= ${value(({ upTo }) => upTo)}
        AND (h.memory_id, h.change, h.id) > (${value(({ after }) => packedId(after.memory_id))},
          ${value(({ after }) => after.change)}, ${value(({ after }) => packedId(after.id))})
      ORDER BY h.memory_id, h.change, h.id LIMIT ${sql.lit(maxEvents)}`,
  )
  const piecesOf = shapedStatement<boolean, { memories: readonly Told[]; ids: readonly string[] }, Pieces>(
    db,
    (isPacked, { value, rows }) => sql`SELECT ${id} AS id, h.metadata, ${jsonObjectOf(start)} AS start,
        ${jsonObjectOf(middle)} AS middle, ${jsonObjectOf(rest)} AS rest,
        ${oldContent} AS old_content, ${newContent} AS new_content
      FROM ${historyOf(isPacked, value)}
      WHERE h.id IN (SELECT ${packedValue} FROM ${rows(({ ids }) => toPack('id', ids), 'wanted')})`,
  )
  return {
    /** The history of some memories up to a change, by memory and time, behind a position; their ids ascend. */
    eventsAfter: async (
      memories: readonly Told[],
      upTo: number,
      after: EventPosition = nowhere,
    ): Promise<ExportedEvent[]> => {
      for (const some of runsAlike(memories)) {
        const isPacked = isPackedId((some[0] as Told).id)
        const isWithin = isPackedId(after.memory_id) === isPacked
        const found = await page(isPacked, { memories: some, upTo, after: isWithin ? after : nowhere })
        if (found.length === 0) continue
        const fitting = found.slice(0, withinBytes(found, maxBytes).length)
        const isLacking = ({ line }: ExportedEvent) => line === null
        const theirs = new Set(fitting.filter(isLacking).map(event => event.memory_id))
        const changed = some.filter(memory => theirs.has(memory.id))
        return completed<ExportedEvent>(fitting, isLacking, ids =>
          piecesOf(isPacked, { memories: changed, ids }),
        )
      }
      return []
    },
  }
}

/** Events of the memories that are asked for. */
function historyOf<Input extends { memories: readonly Told[] }>(
  isPacked: boolean,
  value: Places<Input>['value'],
): RawBuilder<unknown> {
  const versions = value(({ memories }) => versionsOf(memories))
  return sql`${jsonMembersIn(versions, 'w')} ${thenJoin} memory_history h
    ON h.memory_id = ${isPacked ? bytesOfId(memoryId) : memoryId}`
}

/** Memories whose ids are stored alike stand in the order of these. */
function runsAlike(memories: readonly Told[]): Told[][] {
  const runs: Told[][] = []
  for (const memory of memories) {
    const last = runs.at(-1)
    if (last?.[0] && isPackedId(last[0].id) === isPackedId(memory.id)) last.push(memory)
    else runs.push([memory])
  }
  return runs
}

/** Written by hand: an object would bring ids that are numbers to the front. */
function versionsOf(memories: readonly Told[]): string {
  return `{${memories.map(({ id, version }) => `${JSON.stringify(id)}:${version}`).join()}}`
}
