import { v5 as uuidv5 } from 'uuid'
import type { NewHistoryRow } from '../../../../store/tables/memory/history.js'
import { firstHolder, type Holder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow, NewMemory } from '../../../../store/tables/memory/memories.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { embedJob } from '../../../ground/embedding/embed-now.js'
import { settleValues } from '../../../ground/entities/settle-values.js'
import { defaultAgent, ownCaller } from '../../../ground/visibility/caller.js'
import { purgeAll } from '../../../memory/edit/remove.js'
import { spaceApart } from '../../../memory/edit/supersede.js'
import { isSamePlace, noteUnsupported, stripOrigin } from '../../../memory/records/holders.js'
import { createSimilarJudge } from '../../../memory/records/judge-memory.js'
import { contentHash } from '../../../memory/records/normalise-content.js'
import { importedRow } from '../../transfer/imported-row.js'
import { type Clock, partsOf } from '../rules/clock.js'
import type { HolderKey, HolderState } from '../rules/records.js'
import type { MergedMemory } from '../rules/view.js'
import { isOwnAlone, tagsOf } from './collect.js'
import type { SyncDeps } from './context.js'
import { type KnownPart, viewPart, viewRules } from './known.js'

type Deps = Pick<SyncDeps, 'clock' | 'newId'>

/** Memories whose entries in the index are out of date once the transaction is committed. */
export interface Settled {
  changed: Set<string>
  gone: Set<string>
}

/** The work of one transaction. */
interface Settling extends Settled {
  deps: Deps
  tables: Tables
  part: KnownPart
  rows: Map<string, MemoryRow>
  /** Hints and further holders of the rows; absent for those without any. */
  hints: Map<string, string[]>
  holders: Map<string, Holder[]>
  /** Memories that have a text in a space, by `hash space`. */
  claims: Map<string, string>
  judge: ReturnType<typeof createSimilarJudge>
  now: string
}

/** Makes the rows of a part what the devices together know, in the caller's transaction. */
export async function settle(deps: Deps, tables: Tables, part: KnownPart): Promise<Settled> {
  const view = viewPart(part)
  const ids = [...new Set([...part.state.memories.keys(), ...part.stored.keys()])]
  const found = await tables.memories.load(ids)
  const work: Settling = {
    ...{ deps, tables, part, claims: new Map(), judge: createSimilarJudge() },
    rows: new Map(found.map(row => [row.id, row])),
    hints: await tables.hints.of(ids),
    holders: await tables.holders.of(ids),
    now: deps.clock().toISOString(),
    changed: new Set(),
    gone: new Set(),
  }
  const merged = new Map(view.memories.map(one => [one.id, one]))
  await removeRows(work, ids, { merged, aliases: view.aliases })
  const alive = view.memories.filter(one => !one.forgotten)
  await findClaims(work, alive)
  const owners = new Set(alive.flatMap(({ holders }) => holders.map(({ agent }) => agent)))
  owners.delete(defaultAgent)
  for (const agent of owners) await tables.agents.register(agent, work.now)
  const fresh: MergedMemory[] = []
  for (const one of alive) {
    const row = work.rows.get(one.id)
    if (!row) fresh.push(one)
    else if (!isOwnAlone(row)) await updateRow(work, row, one)
  }
  await insertRows(work, fresh)
  await settleValues(deps, tables, { kind: 'memory', ids: [...work.changed] })
  return { changed: work.changed, gone: work.gone }
}

/** Removes rows that were purged or forgotten, have no holder, or say the same as another. */
async function removeRows(
  work: Settling,
  ids: readonly string[],
  { merged, aliases }: { merged: Map<string, MergedMemory>; aliases: Map<string, string> },
): Promise<void> {
  const { tables, part, rows, gone } = work
  const purged = ids.filter(id => part.state.purgedIds.has(id))
  if (purged.length > 0) await purgeRows(work, purged)
  const twins: [string, string][] = []
  const forgotten: string[] = []
  for (const id of ids) {
    const row = rows.get(id)
    const one = merged.get(id)
    if (!row || row.is_deleted === 1 || isOwnAlone(row) || (one && !one.forgotten)) continue
    const first = aliases.get(id)
    if (first !== undefined) {
      await tables.evidenceSpans.moveSource('memory', id, first)
      await tables.entities.moveMemory(id, first)
      twins.push([id, first])
    } else forgotten.push(id)
    rows.set(id, { ...row, is_deleted: 1 })
    gone.add(id)
  }
  await forgetRows(work, forgotten)
  await joinRows(work, twins)
}

/** Removes rows that say the same as another, with their history. */
async function joinRows(
  { tables, deps, part, now }: Settling,
  twins: readonly [string, string][],
): Promise<void> {
  if (twins.length === 0) return
  const first = await tables.meta.nextChanges(twins.length)
  const events = twins.map(([id, into], at) => joinedEvent(part, { id, into, change: first + at }))
  for (const { memory_id, change } of events)
    await tables.memories.softDelete(memory_id, { now, by: 'sync', change })
  await tables.history.appendTold(events)
  await noteUnsupported(
    deps,
    tables,
    twins.map(([id]) => id),
  )
}

/**
 * Each machine with both rows joins them by itself. They all write this one event and tell it to the others
 * (tellJoined): its id and time follow from the two saves.
 */
function joinedEvent(
  { state }: KnownPart,
  { id, into, change }: { id: string; into: string; change: number },
): NewHistoryRow {
  const clocks = [id, into].map(one => state.memories.get(one)!.saved!.clock)
  const eventId = uuidv5(JSON.stringify(['joined', id, into, ...clocks]), uuidv5.URL)
  return {
    ...{
      id: eventId,
      memory_id: id,
      event: 'deleted',
      reason: 'another machine saved the same text',
      change,
    },
    ...{ old_content: null, new_content: null, changed_by: 'sync', actor_type: 'pipeline', metadata: null },
    ...{ session_id: null, request_id: eventId, created_at: timeOf(clocks.sort().at(-1))! },
  }
}

/** Their history comes with the records. */
async function forgetRows({ deps, tables, part, now }: Settling, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const first = await tables.meta.nextChanges(ids.length)
  for (const [position, id] of ids.entries()) {
    const at = timeOf(part.state.memories.get(id)?.forgotten) ?? now
    await tables.memories.softDelete(id, { now: at, by: 'sync', change: first + position })
  }
  await noteUnsupported(deps, tables, ids)
}

async function purgeRows({ deps, tables, rows, gone }: Settling, ids: readonly string[]): Promise<void> {
  await tables.sync.dropCopies(ids)
  const there = ids.filter(id => rows.has(id))
  await purgeAll(deps, tables, ownCaller(deps, 'sync'), there, 'purged on another machine')
  for (const id of there) {
    rows.delete(id)
    gone.add(id)
  }
}

async function findClaims({ tables, claims, gone }: Settling, alive: readonly MergedMemory[]): Promise<void> {
  const hashes = [...new Set(alive.map(({ text }) => contentHash(text)))]
  for (const { id, content_hash, hash_space } of await tables.transfer.claimants(hashes, []))
    if (!gone.has(id)) claims.set(`${content_hash} ${hash_space}`, id)
}

/** The space of a text; one of its own while another memory has the text there. */
function claimSpace({ part, claims }: Settling, one: MergedMemory): string {
  const { id, text, holders } = one
  const first = holders[0]!
  const space = viewRules.spaceOf(first, part.state.agents.get(first.agent)?.value ?? null)
  const claim = `${contentHash(text)} ${space}`
  const other = claims.get(claim)
  if (other !== undefined && other !== id) return spaceApart(one)
  claims.set(claim, id)
  return space
}

/** All columns but those of the space and of the verdict. */
function columnsOf({ part }: Settling, one: MergedMemory): MemoryRow {
  const { saved, fields } = part.state.memories.get(one.id)!
  const { origin, holder } = saved!.value
  const first = one.holders[0]!
  const times = [saved!.clock, ...[...fields.values()].map(({ clock }) => clock)]
  const row = importedRow({
    ...(origin as { created_at: string; updated_by: string; memory_kind: string }),
    structured: origin.structured == null ? null : JSON.parse(String(origin.structured)),
    ...{ kind: 'memory', id: one.id, content: one.text, tags: [...one.tags], hints: [...one.hints] },
    ...{ type: one.type as never, importance: one.importance, pinned: one.pinned ? 1 : 0, who: one.who },
    ...{ agent_id: first.agent, project: first.project, scope: first.scope },
    visibility: first.visibility as 'global',
    superseded_by: one.superseded?.by ?? null,
    superseded_at: one.superseded?.at ?? null,
    superseded_reason: one.superseded?.reason ?? null,
    ...{ review_after: one.reviewAfter, valid_until: one.validUntil, expires_at: one.expiresAt },
    ...{ access_count: 0, is_deleted: 0, extraction_status: 'none', version: 1, idempotency_key: null },
    updated_at: timeOf(times.reduce((a, b) => (a > b ? a : b)))!,
  })
  // The origin describes the save of the holder that was the first.
  const isOther = first.agent !== holder.agent || first.project !== holder.project
  return isOther ? stripOrigin(row) : row
}

async function insertRows(work: Settling, fresh: readonly MergedMemory[]): Promise<void> {
  if (fresh.length === 0) return
  const { tables, judge, now, changed } = work
  const first = await tables.meta.nextChanges(fresh.length)
  const rows: MemoryRow[] = []
  for (const [position, one] of fresh.entries()) {
    const row = columnsOf(work, one)
    Object.assign(row, await judge(row, one.hints, now))
    row.hash_space = claimSpace(work, one)
    row.further_holders = one.holders.length - 1
    row.change = first + position
    rows.push(row)
    changed.add(one.id)
  }
  await tables.memories.insert(rows)
  await tables.hints.add(
    fresh.flatMap(({ id, hints }) => hints.map((hint, position) => ({ memory_id: id, position, hint }))),
  )
  for (const { id, holders } of fresh)
    for (const holder of holders.slice(1)) await tables.holders.put(id, storedHolder(holder))
}

const compared = [
  ...(['content', 'type', 'importance', 'pinned', 'who', 'agent_id', 'project', 'scope'] as const),
  ...(['visibility', 'superseded_by', 'superseded_at', 'superseded_reason', 'review_after'] as const),
  ...(['valid_until', 'expires_at', 'session_id', 'source_id', 'source_path', 'runtime_path'] as const),
] as const

/** Columns that the verdict of content safety is about. */
const judged = ['content', 'tags', 'who', 'agent_id', 'project', 'scope', 'session_id'] as const

async function updateRow(work: Settling, row: MemoryRow, one: MergedMemory): Promise<void> {
  const { deps, tables, judge, now, changed, part } = work
  const wanted = columnsOf(work, one)
  const update: Partial<NewMemory> = {}
  for (const name of compared) if (row[name] !== wanted[name]) Object.assign(update, { [name]: wanted[name] })
  if (tagsOf(row).join() !== tagsOf(wanted).join()) update.tags = wanted.tags
  if (row.is_deleted === 1) Object.assign(update, { is_deleted: 0, deleted_at: null })
  const isMoved = ['content', 'agent_id', 'visibility', 'is_deleted'].some(name => name in update)
  if (isMoved) {
    update.content_hash = wanted.content_hash
    update.hash_space = claimSpace(work, one)
  }
  const known = work.hints.get(row.id) ?? []
  const hints = one.hints.filter(hint => !known.includes(hint))
  if (hints.length > 0 || judged.some(name => name in update))
    Object.assign(update, await judge({ ...row, ...update } as MemoryRow, [...known, ...hints], now))
  const areHoldersNew = await moveHolders(work, row, one)
  if (Object.keys(update).length === 0 && hints.length === 0 && !areHoldersNew) return
  changed.add(row.id)
  if (part.stored.get(row.id) !== undefined && 'content' in update) {
    update.embedding_model = null
    await tables.vectors.remove(row.id)
    await tables.jobs.settle(embedJob.kind, [row.id], deps.clock().toISOString())
  }
  const change = await tables.meta.nextChange()
  const author = { updated_at: wanted.updated_at, updated_by: 'sync' }
  await tables.memories.update(row.id, row.version, { ...update, ...author, change })
  await tables.hints.add(hints.map((hint, at) => ({ memory_id: row.id, position: known.length + at, hint })))
  await tables.holders.recount(row.id, change)
}

/** Adds and removes further holders. @returns true when there were any */
async function moveHolders(work: Settling, row: MemoryRow, { holders }: MergedMemory): Promise<boolean> {
  if (row.further_holders === 0 && holders.length === 1) return false
  const { tables } = work
  const present = work.holders.get(row.id) ?? []
  const [first, ...wanted] = holders.map(one => storedHolder(one))
  const isIn = (some: readonly Holder[], holder: Holder): boolean =>
    some.some(one => isSamePlace(one, holder) && one.visibility === holder.visibility)
  const leaving = present.filter(one => !wanted.some(other => isSamePlace(other, one)))
  const coming = wanted.filter(one => !isIn(present, one))
  for (const holder of leaving) await tables.holders.remove(row.id, holder)
  for (const holder of coming) await tables.holders.put(row.id, holder)
  return leaving.length + coming.length > 0 || !isSamePlace(firstHolder(row), first!)
}

function storedHolder({ agent, project, scope, visibility, heldAt }: HolderKey & HolderState): Holder {
  return { agent_id: agent, project, scope, visibility, held_at: heldAt }
}

function timeOf(clock: Clock | undefined): string | undefined {
  return clock === undefined ? undefined : new Date(partsOf(clock).millis).toISOString()
}
