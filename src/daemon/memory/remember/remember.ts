import { AppError } from '../../../contract/ground/errors.js'
import type { RememberBody, RememberReply } from '../../../contract/memory/memory.js'
import { isLarge, turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { maxAnalysedChars } from '../../../store/index/words/analysis/analyzer.js'
import type { AheadWork } from '../../../store/store.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import {
  embedAhead,
  embedLater,
  embedNow,
  isReadyVector,
  noteUnread,
} from '../../ground/embedding/embed-now.js'
import { toEntry } from '../../ground/index/memory-entries.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import type { PrivateCut } from '../../ground/text/private-spans.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findToChange } from '../edit/find-to-change.js'
import {
  indexSuperseded,
  leaveText,
  markSuperseded,
  mayReplace,
  type SupersededMemory,
} from '../edit/supersede.js'
import { sessionOfCaller } from '../records/caller-session.js'
import { addHolders } from '../records/holders.js'
import { withoutPrivateParts } from '../records/private-parts.js'
import { safetyOf } from '../records/record.js'
import { insertMemories } from '../records/write-change.js'
import { expiryOf, newMemory, renewExpiry } from './new-memory.js'

export type RememberDeps = Pick<
  Daemon,
  'store' | 'index' | 'blackBoxes' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** The memory that the transaction of a save wrote or found. */
export interface SaveResult {
  row: MemoryRow
  hints: readonly string[]
  deduped: boolean
  superseded?: SupersededMemory
  /** The row with the writer as an additional holder. */
  held?: MemoryRow | undefined
}

/**
 * Saves a memory: the row and its history event in one transaction, then the index, then a vector if the
 * provider returns it in time (rules.md 0.2 and 4.3). A duplicate returns the existing row, adds the writer
 * to its holders and replaces nothing (rules.md 1.1), unless it names that row to give it another type.
 * Nothing is written when it throws.
 * @throws AppError `validation_failed` for content that is empty or entirely private, or a period that ends
 * before it starts, `not_found` for a `supersedes` target that the writer can't see, `already_superseded` or
 * `conflict` for one that this memory can't replace.
 * @param also writes data of the saved or found memory in the same transaction.
 */
export async function remember(
  deps: RememberDeps,
  caller: Caller,
  body: RememberBody,
  also?: AlsoWritten,
): Promise<RememberReply> {
  const prepared = await prepareSave(deps, caller, body)
  // Concurrent saves share one disk sync; a large one runs separately, since the others would wait for it.
  const saved = isLarge(prepared.memory.content)
    ? await deps.store.write({ until: 'synced', large: true }, tables =>
        saveWithin(deps, tables, caller, prepared, also),
      )
    : await together(deps, { deps, caller, prepared, also })
  return finishSave(deps, prepared, saved)
}

type AlsoWritten = (tables: Tables, row: MemoryRow) => Promise<void>

interface Save {
  deps: RememberDeps
  caller: Caller
  prepared: PreparedSave
  also?: AlsoWritten | undefined
}

function together({ store }: RememberDeps, save: Save): Promise<SaveResult> {
  return store.together(saveAll, save, namesNothing(save) ? saveAhead : undefined)
}

/** Saves texts that nothing stored has: if something does, the statements fail. */
const saveAhead: AheadWork<Save, SaveResult> = async (tables, saves) => {
  const memories = saves.map(({ prepared }) => prepared.memory)
  const hashes = memories.map(memory => memory.content_hash)
  if (new Set(hashes).size < hashes.length) return undefined
  await tables.memories.refuseStored(hashes)
  await insertAll(tables, saves)
  return numberOf => {
    for (const memory of memories) memory.change = numberOf(memory.change)
    return saves.map(({ prepared }) => insertedNow(prepared))
  }
}

/**
 * Writes simultaneous saves in the caller's transaction: those of new texts as one set, then the others one
 * by one, since each may change what the next one finds. @throws AppError as `remember` does
 */
async function saveAll(tables: Tables, saves: readonly Save[]): Promise<SaveResult[]> {
  const fresh = saves.length > 1 ? await freshSaves(tables, saves) : []
  await insertAll(tables, fresh)
  const results: SaveResult[] = []
  for (const save of saves) {
    const { deps, caller, prepared, also } = save
    results.push(
      fresh.includes(save) ? insertedNow(prepared) : await saveWithin(deps, tables, caller, prepared, also),
    )
  }
  return results
}

/** Saves that only insert a memory: nothing stored or waiting has their text, and they name nothing else. */
async function freshSaves(tables: Tables, saves: readonly Save[]): Promise<Save[]> {
  const hashes = saves.map(({ prepared }) => prepared.memory.content_hash)
  const stored = await tables.memories.storedHashes(hashes)
  return saves.filter(save => {
    const hash = save.prepared.memory.content_hash
    return namesNothing(save) && !stored.has(hash) && hashes.indexOf(hash) === hashes.lastIndexOf(hash)
  })
}

/** Returns whether nothing but its text can make the save one of a stored memory. */
function namesNothing({ prepared: { memory, body }, also }: Save): boolean {
  return !(memory.idempotency_key ?? memory.source_id ?? body.supersedes ?? also)
}

async function insertAll(tables: Tables, saves: readonly Save[]): Promise<void> {
  const [first] = saves
  if (!first) return
  const { deps } = first
  const fresh = saves.map(({ caller, prepared: { memory, body, embedded } }) => ({
    author: caller,
    row: memory,
    hints: body.structured?.hints ?? [],
    vector: isReadyVector(embedded) ? embedded : undefined,
  }))
  const breathe = () => turnAfter(first.prepared.memory.content)
  await insertMemories(deps, tables, fresh, 'explicit save', breathe)
  const unread = saves.filter(({ prepared }) => prepared.embedded === 'unread')
  // If another model is active by now, back-fill embeds the memories.
  if (unread.length > 0 && deps.embedder().status().provider === 'static')
    await noteUnread(
      deps,
      tables,
      unread.map(({ prepared }) => prepared.memory.id),
    )
}

function insertedNow({ memory, body }: PreparedSave): SaveResult {
  return { row: memory, hints: body.structured?.hints ?? [], deduped: false }
}

/** A parsed, hashed and judged save, ready to be written. */
export interface PreparedSave {
  body: RememberBody
  /** Private parts that the body lost. */
  cut: PrivateCut
  boundary: ReadBoundary
  /** The row to store; the transaction sets its place in the change sequence. */
  memory: MemoryRow
  embedded: Awaited<ReturnType<typeof embedAhead>>
}

/** Runs the slow part of a save before its transaction. @throws AppError as `remember` does */
export async function prepareSave(
  deps: RememberDeps,
  caller: Caller,
  asked: RememberBody,
): Promise<PreparedSave> {
  const { body, cut } = withoutPrivateParts(asked)
  const boundary = await readBoundary(deps, caller, body)
  const memory = await newMemory(deps, caller, body, boundary)
  memory.expires_at = expiryOf(deps, caller, body, memory)
  const embedded = await embedAhead(deps, memory.content)
  memory.embedding_model = isReadyVector(embedded) ? embedded.model : null
  memory.session_id ??= (await sessionOfCaller(deps, caller, memory.agent_id)) ?? null
  return { body, cut, boundary, memory, embedded }
}

/**
 * Saves within the caller's transaction; the caller runs `finishSave` afterwards. @throws AppError as
 * `remember` does
 */
export async function saveWithin(
  deps: RememberDeps,
  tables: Tables,
  caller: Caller,
  prepared: PreparedSave,
  also: AlsoWritten = async () => undefined,
): Promise<SaveResult> {
  const { body, boundary, memory } = prepared
  const retried = await findRetried(tables, memory, boundary)
  const known = retried ?? (await findSame(tables, memory, boundary))
  const target = retried ? undefined : await findReplaced(tables, caller, { memory, known, body, boundary })
  const isRetyped = known !== undefined && target?.id === known.id && known.type !== memory.type
  // A current memory gets back a text that it had replaced.
  const isReturned = known !== undefined && known.superseded_by !== null && target?.superseded_by === null
  if (known && !isRetyped && !isReturned) {
    const renewed = await renewExpiry(deps, tables, caller, known, memory)
    const [held] = await addHolders(deps, tables, caller, [{ row: renewed, places: [memory] }])
    await also(tables, renewed)
    const hints = (await tables.hints.of([known.id])).get(known.id) ?? []
    return { row: renewed, hints, deduped: true, held }
  }
  if (isReturned) await leaveText(deps, tables, caller, known)
  const superseded =
    target && (await replace(deps, tables, caller, target, { by: memory.id, body, isRetyped }))
  await insertAll(tables, [{ deps, caller, prepared }])
  await also(tables, memory)
  return { ...insertedNow(prepared), ...(superseded && { superseded }) }
}

/** Updates index, black box and vector after the commit. */
export async function finishSave(
  deps: RememberDeps,
  prepared: PreparedSave,
  saved: SaveResult,
): Promise<RememberReply> {
  const { embedded } = prepared
  await turnAfter(saved.row.content)
  if (saved.held) await deps.index.apply([saved.held])
  if (saved.deduped) return reply(saved, prepared, saved.row.embedding_model !== null)
  if (saved.superseded) indexSuperseded(deps, saved.superseded)
  deps.index.upsert(toEntry(saved.row, saved.hints))
  // Vectors of different models are not comparable; after a model change, back-fill embeds the memory.
  if (isReadyVector(embedded) && embedded.model === deps.embedder().status().model)
    deps.index.setVector(saved.row.id, embedded.vector)
  await turnAfter(saved.row.content)
  noteAssertion(deps, saved.row)
  if (embedded === undefined) return reply(saved, prepared, await embedNow(deps, saved.row))
  if (embedded === 'late') await embedLater(deps, saved.row)
  return reply(saved, prepared, isReadyVector(embedded))
}

/** Records a session's memory in its black box, without the content, since the memory may be forgotten. */
function noteAssertion(
  { blackBoxes }: RememberDeps,
  { id, type, importance, agent_id, session_id, project }: MemoryRow,
): void {
  if (session_id === null) return
  const session = { agentId: agent_id, sessionKey: sessionKeyOf(session_id), project }
  blackBoxes.note(session, [
    { kind: 'assertion.created', title: `${type} remembered`, refs: [id], payload: { type, importance } },
  ])
}

/**
 * Finds the memory of an earlier attempt, before all other duplicates (rules.md 1.1.5). If the key belongs to
 * a memory outside the writer's scope, this save is stored without its key and reveals nothing of the other
 * memory.
 */
async function findRetried(
  tables: Tables,
  memory: MemoryRow,
  boundary: ReadBoundary,
): Promise<MemoryRow | undefined> {
  const { idempotency_key: key, agent_id: agentId, visibility, scope } = memory
  if (!key) return undefined
  const retried = await tables.memories.byIdempotencyKey(key, { agentId, visibility, scope: scope ?? null })
  if (!retried || !boundary.only || (await tables.memories.find(retried.id, boundary))) return retried
  memory.idempotency_key = null
  return undefined
}

/** By hash, then by source (rules.md 1.1.4 and 1.1.5). */
async function findSame(
  tables: Tables,
  memory: MemoryRow,
  boundary: ReadBoundary,
): Promise<MemoryRow | undefined> {
  const { source_id: sourceId } = memory
  const same = await tables.memories.byHash(memory.content_hash, boundary)
  if (same || !sourceId) return same
  return tables.memories.bySource({ id: sourceId, type: memory.source_type ?? null }, boundary)
}

interface Replacement {
  memory: MemoryRow
  /** The duplicate that is returned instead of `memory`. */
  known: MemoryRow | undefined
  body: RememberBody
  boundary: ReadBoundary
}

/**
 * Finds the memory to replace. A wrong target fails duplicates too, so no reply wrongly reports a
 * replacement.
 */
async function findReplaced(
  tables: Tables,
  caller: Caller,
  { memory, known, body, boundary }: Replacement,
): Promise<MemoryRow | undefined> {
  if (!body.supersedes) return undefined
  const found = await findToChange(tables, caller, boundary, body.supersedes)
  const { row: target, holders } = 'row' in found ? found : { row: undefined, holders: [] }
  if ('refused' in found && found.refused === 'scope_violation')
    throw new AppError(
      'scope_violation',
      `memory ${body.supersedes} is outside your scope; nothing was saved`,
    )
  // Every reader of the target must be able to see its successor.
  if (!target || target.is_deleted === 1 || holders.some(({ scope }) => scope !== memory.scope))
    throw new AppError(
      'not_found',
      `memory ${body.supersedes} does not exist, so it cannot be superseded; nothing was saved`,
    )
  if (target.superseded_by !== null && target.superseded_by === known?.id) return target
  if (target.superseded_by !== null)
    throw new AppError(
      'already_superseded',
      `memory ${target.id} is already superseded by ${target.superseded_by}; nothing was saved`,
    )
  if (!mayReplace(memory, holders))
    throw new AppError(
      'conflict',
      `memory ${target.id} is global: a private one can't replace it, since its id would show there; save it as global`,
    )
  return target
}

function replace(
  deps: RememberDeps,
  tables: Tables,
  caller: Caller,
  target: MemoryRow,
  { by, body, isRetyped }: { by: string; body: RememberBody; isRetyped: boolean },
): Promise<SupersededMemory> {
  const reason = body.reason?.trim() || 'superseded by a newer memory'
  return markSuperseded(deps, tables, caller, target, { by, reason, hasSameText: isRetyped })
}

function reply(
  { row, hints, deduped }: SaveResult,
  { body, cut }: PreparedSave,
  embedded: boolean,
): RememberReply {
  return {
    id: row.id,
    type: row.type,
    tags: row.tags,
    pinned: row.pinned === 1,
    importance: row.importance,
    content: row.content,
    embedded,
    entities_linked: 0,
    hints_written: deduped ? 0 : hints.length,
    structured: Boolean(body.structured),
    structured_applied: false,
    deduped,
    contentSafety: safetyOf(row),
    ...(row.content.length > maxAnalysedChars && { unsearched: row.content.length - maxAnalysedChars }),
    ...((cut.parts > 0 || cut.unclosed > 0) && { privateParts: cut }),
  }
}
