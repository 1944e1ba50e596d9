import { isDuplicate } from '../../../store/faults.js'
import { isRepeated, type NewHistoryRow } from '../../../store/tables/memory/history.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { ReadyVector } from '../../ground/embedding/embed-now.js'
import { type Author, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** `none`: a decision left the memory unchanged, such as a rejected proposal. */
export type ChangeEvent = 'created' | 'modified' | 'deleted' | 'recovered' | 'none'

export interface Change {
  event: ChangeEvent
  reason: string
  /** Texts before and after the change; both absent when the content stayed the same. */
  oldContent?: string
  newContent?: string
  metadata?: object
}

type Deps = Pick<Daemon, 'clock' | 'newId'>

/** Writes the history event of a change; call it in the transaction of the change (rules.md 0.6). */
export async function recordChange(
  deps: Deps,
  tables: Tables,
  author: Author,
  memory: { id: string; change: number },
  change: Change,
): Promise<void> {
  await tables.history.append([changeEvent(deps, author, memory, change)])
}

/** Builds the history event of a change, for writers of many events at once. */
export function changeEvent(
  deps: Deps,
  author: Author,
  memory: { id: string; change: number },
  { event, reason, oldContent, newContent, metadata }: Change,
): NewHistoryRow {
  return {
    id: deps.newId(),
    memory_id: memory.id,
    event,
    old_content: oldContent ?? null,
    new_content: event === 'created' ? initialContent(newContent) : (newContent ?? null),
    changed_by: author.actor,
    actor_type: author.actorType,
    reason,
    metadata: metadata ? JSON.stringify(metadata) : null,
    session_id: author.sessionKey ?? null,
    request_id: author.requestId,
    created_at: deps.clock().toISOString(),
    change: memory.change,
  }
}

/**
 * Initial content in the history: a short content is omitted, since the row or a later change contains it.
 */
export function initialContent(content: string | null | undefined): string | null {
  return content == null || isRepeated(content) ? null : content
}

/** A memory to insert: prepared outside the transaction, complete but for its change number. */
export interface FreshMemory {
  author: Author
  row: NewMemory
  hints: readonly string[]
  /** All but the first, which the row names. */
  holders?: readonly Holder[]
  vector?: ReadyVector | undefined
  /** Its history in a file; without one, the insertion is recorded as its creation. */
  told?: readonly NewHistoryRow[]
}

/**
 * Inserts memories with their hints, holders, vectors and history: the only way in, for one as for hundreds.
 * Each table takes all rows at once. Call it in the transaction that looked for duplicates. Change numbers
 * are set in place, because copying so many columns is slow.
 * @param reason of the creations. @param breathe yields to other work between rows.
 */
export async function insertMemories(
  deps: Deps,
  tables: Tables,
  fresh: readonly FreshMemory[],
  reason: string,
  breathe?: () => Promise<void> | undefined,
): Promise<void> {
  if (fresh.length === 0) return
  const now = deps.clock().toISOString()
  const owners = new Set(fresh.flatMap(({ row, holders = [] }) => [row, ...holders].map(one => one.agent_id)))
  for (const agent of owners) if (agent !== defaultAgent) await tables.agents.register(agent, now)
  const toldEvents = fresh.reduce((sum, { told = [] }) => sum + told.length, 0)
  let change = await tables.meta.nextChanges(fresh.length + toldEvents)
  const events: NewHistoryRow[] = []
  for (const { author, row, told = [] } of fresh) {
    for (const event of told) events.push(Object.assign(event, { change: change++ }))
    row.change = change++
    if (told.length > 0) continue
    const created: Change = { event: 'created', reason, newContent: row.content }
    events.push(changeEvent(deps, author, { id: row.id, change: row.change }, created))
  }
  const rows = fresh.map(({ row }) => row)
  await tables.memories.insert(rows, breathe)
  await tables.hints.add(
    fresh.flatMap(({ row, hints }) => hints.map((hint, position) => ({ memory_id: row.id, position, hint }))),
  )
  for (const { row, holders = [] } of fresh)
    for (const holder of holders) await tables.holders.put(row.id, holder)
  await tables.vectors.put(
    fresh.flatMap(({ row, vector }) => (vector ? { memoryId: row.id, number: row.change, ...vector } : [])),
    now,
  )
  await (toldEvents > 0 ? tables.history.appendTold(events, breathe) : tables.history.append(events, breathe))
}

/**
 * Changes a row, increments its version and records why, all in the caller's transaction.
 * @returns the row in its new state; undefined when its version had changed.
 */
export async function changeMemory(
  deps: Deps,
  tables: Tables,
  author: Author,
  row: MemoryRow,
  fields: Partial<NewMemory>,
  change: Change,
): Promise<MemoryRow | undefined> {
  const sequence = await tables.meta.nextChange()
  const update = {
    ...fields,
    change: sequence,
    updated_at: deps.clock().toISOString(),
    updated_by: author.actor,
  }
  if (!(await tables.memories.update(row.id, row.version, update))) return undefined
  await recordChange(deps, tables, author, { id: row.id, change: sequence }, change)
  return { ...row, ...update, version: row.version + 1 } as MemoryRow
}

/** Converts a unique-index error to an answer: a row invisible to the caller already has the hash or key. */
export function answerIfDuplicate<Answer>(answer: Answer) {
  return (error: unknown): Answer => {
    if (isDuplicate(error)) return answer
    throw error
  }
}
