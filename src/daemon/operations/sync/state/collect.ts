import type { HistoryRow } from '../../../../store/tables/memory/history.js'
import { firstHolder, type Holder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { merge } from '../rules/merge.js'
import {
  type Changing,
  type HolderKey,
  type HolderState,
  nameOfHolder,
  type SyncRecord,
} from '../rules/records.js'
import type { MergedMemory } from '../rules/view.js'
import { clockIn, keyedText, type SyncContext, stateKeys } from './context.js'
import { type KnownPart, loadKnown, policyText, saveKnown, viewPart, viewRules } from './known.js'

/** A record that has no moment yet. */
type Untimed = SyncRecord extends infer R ? (R extends SyncRecord ? Omit<R, 'clock'> : never) : never

/** Columns that never change after the save. */
export const originColumns = [
  'source_id',
  'source_type',
  'source_path',
  'runtime_path',
  'session_id',
  'confidence',
  'memory_kind',
  'created_at',
  'updated_by',
  'occurred_at',
  'observed_at',
  'source_created_at',
  'valid_from',
  'structured',
  'branch',
  'commit_id',
  'layout',
] as const

/** Fields whose new value all memories of one text get, so that none of them returns with the old one. */
const sharedFields = new Set<keyof Changing>(['content', 'superseded'])

/** Returns true for memories that each machine has for itself. */
export function isOwnAlone({ type, visibility }: Pick<MemoryRow, 'type' | 'visibility'>): boolean {
  return type === chunkType || visibility === 'archived'
}

/**
 * Turns the next local changes into records, in the caller's transaction. A change is what differs from the
 * known state, and its moment follows from the time and change number that its own transaction wrote: no
 * moment of another device is accepted between the two. So saves cost nothing more.
 * @returns the ids whose state may now differ from the rows, and whether changes are left
 */
export async function collect(
  tables: Tables,
  context: SyncContext,
  { limit, now }: { limit: number; now: Date },
): Promise<{ part: KnownPart; records: number; more: boolean }> {
  const after = Number((await tables.sync.get(stateKeys.collected)) ?? 0)
  const changed = await tables.sync.rowsChanged(after, limit)
  const more = changed.length === limit
  const rows = changed.filter(row => !isOwnAlone(row))
  const waiting = await tables.sync.purgesToTell()
  const part = await loadKnown(tables, {
    ids: [...rows.map(({ id }) => id), ...(more ? [] : waiting)],
    hashes: rows.map(row => row.content_hash),
    keys: [],
  })
  const clock = await clockIn(tables, context)
  const records: SyncRecord[] = []
  const add = (at: string, untimed: Untimed): void => {
    // An imported memory may name a time that has not come.
    const wallMs = Math.min(Date.parse(at) || 0, now.getTime())
    records.push({ ...untimed, clock: clock.next(wallMs) } as SyncRecord)
  }
  for (const { id, read_policy, policy_group, updated_at } of await tables.agents.roster()) {
    const policy = policyText({ read_policy, policy_group })
    const known = part.state.agents.get(id)
    if (known?.value === policy) continue
    add(updated_at, { kind: 'agent', name: id, policy })
  }
  // The last batch tells them. One that was loaded here, by its text, would be saved again.
  const purges = waiting.filter(id => !more || part.state.memories.has(id))
  const { savedAgain, others } = purgeRecords(context, part, { purges, rows })
  const purge = (all: readonly Untimed[]): void => {
    for (const one of all) add(new Date(0).toISOString(), one)
  }
  purge(savedAgain)
  for (const record of records) merge(part.state, record)
  await addRows(tables, { context, part, rows, after, add })
  purge(others)
  for (const record of records) merge(part.state, structuredClone(record))
  await saveKnown(tables, part)
  await tables.sync.addToOutbox(records.map(record => JSON.stringify(record)))
  const last = more ? changed.at(-1)!.change : await tables.meta.lastChange()
  await tables.sync.set(stateKeys.collected, String(last))
  const moment = records.at(-1)?.clock
  if (moment !== undefined) await tables.sync.set(stateKeys.clock, moment)
  return { part, records: records.length, more }
}

/**
 * Purges by their memories and texts. Those of a text that a row has again come before that row: its save is
 * the later one, and stays. The others come last, so that they reach every earlier write.
 */
function purgeRecords(
  context: SyncContext,
  part: KnownPart,
  { purges, rows }: { purges: readonly string[]; rows: readonly MemoryRow[] },
): { savedAgain: Untimed[]; others: Untimed[] } {
  const alive = purges.length === 0 ? [] : rows.filter(row => row.is_deleted === 0)
  const present = new Set(alive.map(row => keyedText(context, spaceOf(part, row), row.content).key))
  const [savedAgain, others]: [Untimed[], Untimed[]] = [[], []]
  for (const id of purges) {
    const known = part.state.memories.get(id)
    const key = known?.saved?.value.first.content.key ?? ''
    const last = (known?.fields.get('content')?.value as { key: string } | undefined)?.key ?? key
    const keys = [...new Set([key, last])]
    const told = keys.some(one => present.has(one)) ? savedAgain : others
    told.push(...keys.map(one => ({ kind: 'purge' as const, id, key: one })))
  }
  return { savedAgain, others }
}

interface Adding {
  context: SyncContext
  part: KnownPart
  rows: readonly MemoryRow[]
  /** The last change that was collected before. */
  after: number
  add(at: string, record: Untimed): void
}

async function addRows(tables: Tables, { context, part, rows, after, add }: Adding): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const [hints, holders] = [await tables.hints.of(ids), await tables.holders.of(ids)]
  const events = grouped(await tables.sync.eventsOf(ids, after))
  const view = viewPart(part)
  const merged = new Map(view.memories.map(one => [one.id, one]))
  const members = new Map<string, string[]>()
  for (const [alias, first] of view.aliases) members.set(first, [...(members.get(first) ?? []), alias])
  for (const row of rows) {
    const space = spaceOf(part, row)
    const held = [firstHolder(row), ...(holders.get(row.id) ?? [])]
    const local = { row, space, held, hints: hints.get(row.id) ?? [] }
    const known = { merged: merged.get(row.id), others: members.get(row.id) ?? [] }
    if (!view.aliases.has(row.id) && !part.state.purgedIds.has(row.id))
      for (const record of part.state.memories.get(row.id)?.saved
        ? changesOf(context, part, local, known)
        : firstOf(context, local))
        add(row.updated_at, record)
    for (const event of events.get(row.id) ?? []) add(event.created_at, eventRecord(context, space, event))
  }
}

function grouped(events: readonly HistoryRow[]): Map<string, HistoryRow[]> {
  const found = new Map<string, HistoryRow[]>()
  for (const event of events) found.set(event.memory_id, [...(found.get(event.memory_id) ?? []), event])
  return found
}

/** The space in which the text of a row is unique. */
function spaceOf({ state }: KnownPart, row: MemoryRow): string {
  const holder = { agent: row.agent_id, project: row.project, scope: row.scope }
  const held = { held: true, visibility: row.visibility, heldAt: row.created_at }
  return viewRules.spaceOf({ ...holder, ...held }, state.agents.get(row.agent_id)?.value ?? null)
}

interface Local {
  row: MemoryRow
  space: string
  held: readonly Holder[]
  hints: readonly string[]
}

/** A memory that no device has told yet. */
function firstOf(context: SyncContext, { row, space, held, hints }: Local): Untimed[] {
  const [holder, ...others] = held.map(one => stateOf(one))
  const first = changingOf(context, space, row)
  const origin = Object.fromEntries(originColumns.map(column => [column, row[column]]))
  return [
    { kind: 'save', id: row.id, saved: { origin, first, holder: holder! } },
    ...others.map(other => ({ kind: 'hold' as const, id: row.id, holder: other })),
    ...hintRecords(context, { row, space, hints }),
    ...(row.is_deleted === 1 ? [{ kind: 'forget' as const, id: row.id, key: first.content.key }] : []),
  ]
}

function hintRecords(context: SyncContext, { row, space, hints }: Omit<Local, 'held'>): Untimed[] {
  return hints.map(hint => ({ kind: 'hint', id: row.id, text: keyedText(context, space, hint) }))
}

/** The differences of a row from what the devices know. */
function changesOf(
  context: SyncContext,
  { state }: KnownPart,
  local: Local,
  { merged, others }: { merged: MergedMemory | undefined; others: readonly string[] },
): Untimed[] {
  const { row, space, held } = local
  const all = [row.id, ...others]
  const { key } = keyedText(context, space, row.content)
  if (row.is_deleted === 1)
    return !merged || merged.forgotten ? [] : all.map(id => ({ kind: 'forget', id, key }))
  const records: Untimed[] = []
  if (!merged || merged.forgotten) for (const id of all) records.push({ kind: 'recover', id, key })
  const last = state.memories.get(row.id)?.fields.get('superseded')?.value
  const now = changingOf(context, space, row)
  for (const field of Object.keys(now) as (keyof Changing)[]) {
    const known = merged && (field === 'content' ? merged.text : merged[field])
    const value = field === 'content' ? row.content : now[field]
    if (isSame(known, value) || (field === 'superseded' && isSame(last, value))) continue
    for (const id of sharedFields.has(field) ? all : [row.id])
      records.push({ kind: 'set', id, field, value: now[field] })
  }
  const before = new Map((merged?.holders ?? []).map(one => [nameOfHolder(one), one]))
  for (const holder of held.map(one => stateOf(one))) {
    const same = before.get(nameOfHolder(holder))
    before.delete(nameOfHolder(holder))
    if (same?.visibility !== holder.visibility) records.push({ kind: 'hold', id: row.id, holder })
  }
  for (const gone of before.values())
    for (const id of all) records.push({ kind: 'hold', id, holder: { ...gone, held: false } })
  const fresh = local.hints.filter(hint => !(merged?.hints ?? []).includes(hint))
  return [...records, ...hintRecords(context, { ...local, hints: fresh })]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

function stateOf({ agent_id, project, scope, visibility, held_at }: Holder): HolderKey & HolderState {
  return { agent: agent_id, project, scope, held: true, visibility, heldAt: held_at }
}

/** Each tag once, in one order. */
export function tagsOf({ tags }: Pick<MemoryRow, 'tags'>): string[] {
  return [...new Set(tags.split(',').filter(Boolean))].sort()
}

/** The values of a row that may change. */
function changingOf(context: SyncContext, space: string, row: MemoryRow): Changing {
  const { superseded_by: by, superseded_at: at, superseded_reason: reason } = row
  return {
    content: keyedText(context, space, row.content),
    type: row.type,
    tags: tagsOf(row),
    importance: row.importance,
    pinned: row.pinned === 1,
    who: row.who,
    reviewAfter: row.review_after,
    validUntil: row.valid_until,
    expiresAt: row.expires_at,
    superseded: by === null ? null : { by, at: at ?? row.updated_at, reason },
  }
}

/** An event of the history as a record. */
export function eventRecord(context: SyncContext, space: string, row: HistoryRow): Untimed {
  const { id: eventId, memory_id: id, old_content, new_content, change: _change, ...event } = row
  const text = (content: string | null) => (content === null ? null : keyedText(context, space, content))
  const [before, after] = [text(old_content), text(new_content)]
  return { kind: 'event', id, eventId, event: JSON.stringify(event), before, after }
}
