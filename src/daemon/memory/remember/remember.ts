import { AppError } from '../../../contract/ground/errors.js'
import type { RememberBody, RememberReply } from '../../../contract/memory/memory.js'
import { isLarge, turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { embedAhead, embedLater, embedNow, isMade, noteUnread } from '../../ground/embedding/embed-now.js'
import { toEntry } from '../../ground/index/memory-entries.js'
import { liveSince, sessionKeyOf } from '../../ground/sessions/session-key.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findToChange } from '../edit/find-to-change.js'
import { indexSuperseded, markSuperseded, mayReplace, type Superseded } from '../edit/supersede.js'
import { holdAlso } from '../records/holders.js'
import { withoutPrivateParts } from '../records/private-parts.js'
import { safetyOf } from '../records/record.js'
import { recordChange } from '../records/write-change.js'
import { newMemory } from './new-memory.js'

/** What a save works with. */
export type RememberDeps = Pick<
  Daemon,
  'store' | 'index' | 'blackBoxes' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** Live sessions of one project that are looked through for the one that saves. */
const maxLiveSessions = 50

/** What the transaction of a save wrote or found. */
export interface Saved {
  row: MemoryRow
  hints: readonly string[]
  deduped: boolean
  superseded?: Superseded
  /** The row as it is now that the writer holds it too. */
  held?: MemoryRow | undefined
}

/**
 * Saves a memory: the row and its history event in one transaction, then the index, then a vector if the provider
 * gives one in time (rules.md 0.2 and 4.3). A duplicate answers with the row that was there, which the writer holds too
 * from then on, and replaces nothing (rules.md 1.1).
 * @throws AppError `validation_failed` for content that is empty, or private as a whole, or a period that ends before it
 *   starts, `not_found` for a `supersedes` target that the writer can't see, `already_superseded` or `conflict` for one
 *   that this memory can't replace; nothing is written then.
 * @param also writes what belongs to the memory, saved or found, in the same transaction.
 */
export async function remember(
  deps: RememberDeps,
  caller: Caller,
  body: RememberBody,
  also: (tables: Tables, row: MemoryRow) => Promise<void> = async () => undefined,
): Promise<RememberReply> {
  const prepared = await prepareSave(deps, caller, body)
  const within = (tables: Tables) => saveWithin(deps, tables, caller, prepared, also)
  // Saves that come at the same moment wait for the disk once; a large one would keep the others waiting.
  const saved = isLarge(prepared.memory.content)
    ? await deps.store.write({ until: 'synced', large: true }, within)
    : await deps.store.write({ until: 'synced', shared: true }, within)
  return finishSave(deps, prepared, saved)
}

/** A save that is ready to be written: parsed, hashed and judged. */
export interface PreparedSave {
  body: RememberBody
  boundary: ReadBoundary
  /** The row as it will be stored; the transaction gives it its place in the change sequence. */
  memory: MemoryRow
  embedded: Awaited<ReturnType<typeof embedAhead>>
}

/** The part of a save that takes long, before its transaction. @throws AppError as `remember` does */
export async function prepareSave(
  deps: RememberDeps,
  caller: Caller,
  asked: RememberBody,
): Promise<PreparedSave> {
  const body = withoutPrivateParts(asked)
  const boundary = await readBoundary(deps, caller, body)
  const memory = await newMemory(deps, caller, body, boundary)
  const embedded = await embedAhead(deps, memory.content)
  memory.embedding_model = isMade(embedded) ? embedded.model : null
  memory.session_id ??= await sessionOfHarness(deps, caller, memory)
  return { body, boundary, memory, embedded }
}

/**
 * Returns the key of the session in which an agent saves that does not name it: the newest live one of its harness
 * in its folder, else in its project. Only MCP servers name their harness.
 */
async function sessionOfHarness(
  { store, clock }: RememberDeps,
  { harness, project, folder }: Caller,
  { agent_id: agentId }: MemoryRow,
): Promise<string | null> {
  if (harness === undefined || !project) return null
  const since = liveSince(clock())
  const live = await store.tables.sessions.live({ agentId, project, since }, maxLiveSessions)
  const ofHarness = live.filter(session => session.harness === harness)
  return (ofHarness.find(({ cwd }) => cwd === folder) ?? ofHarness[0])?.session_key ?? null
}

/** The transaction of a save, in one of the caller's, who calls `finishSave` after it. @throws AppError as `remember` does */
export async function saveWithin(
  deps: RememberDeps,
  tables: Tables,
  caller: Caller,
  { body, boundary, memory, embedded }: PreparedSave,
  also: (tables: Tables, row: MemoryRow) => Promise<void> = async () => undefined,
): Promise<Saved> {
  const retried = await findRetried(tables, memory, boundary)
  const known = retried ?? (await findSame(tables, memory, boundary))
  const target = retried ? undefined : await findReplaced(tables, caller, { memory, known, body, boundary })
  if (known) {
    const held = await holdAlso(deps, tables, caller, known, memory)
    await also(tables, known)
    const hints = (await tables.hints.of([known.id])).get(known.id) ?? []
    return { row: known, hints, deduped: true, held }
  }
  const hints = body.structured?.hints ?? []
  const superseded = target && (await replace(deps, tables, caller, target, { by: memory.id, body }))
  await insert(deps, tables, caller, memory, hints)
  if (isMade(embedded)) await tables.vectors.put({ memoryId: memory.id, ...embedded }, memory.updated_at)
  // By another model, should one be in force by now, the back-fill sees to it.
  if (embedded === 'unread' && deps.embedder().status().provider === 'static')
    await noteUnread(deps, tables, [memory.id])
  await also(tables, memory)
  return { row: memory, hints, deduped: false, ...(superseded && { superseded }) }
}

/** What follows a save once it is committed: the index, the black box and a vector. */
export async function finishSave(
  deps: RememberDeps,
  { body, embedded }: PreparedSave,
  saved: Saved,
): Promise<RememberReply> {
  await turnAfter(saved.row.content)
  if (saved.held) await deps.index.apply([saved.held])
  if (saved.deduped) return reply(saved, body, saved.row.embedding_model !== null)
  if (saved.superseded) indexSuperseded(deps, saved.superseded)
  deps.index.upsert(toEntry(saved.row, saved.hints))
  // Vectors of two models are not comparable: the index of another one by now gets this memory's from back-fill.
  if (isMade(embedded) && embedded.model === deps.embedder().status().model)
    deps.index.setVector(saved.row.id, embedded.vector)
  await turnAfter(saved.row.content)
  noteAssertion(deps, saved.row)
  if (embedded === undefined) return reply(saved, body, await embedNow(deps, saved.row))
  if (embedded === 'late') await embedLater(deps, saved.row)
  return reply(saved, body, isMade(embedded))
}

/** A memory of a session stands in its black box; its content only in its row, since it may be forgotten. */
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
 * The memory of an earlier attempt; it comes before all other duplicates (rules.md 1.1.5). A key that stands for a memory
 * outside the writer's scope is none for this save, which is stored without it and told nothing of the other.
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

interface Replacing {
  memory: MemoryRow
  /** The duplicate that answers instead of `memory`. */
  known: MemoryRow | undefined
  body: RememberBody
  boundary: ReadBoundary
}

/** What the save replaces. A wrong target fails a duplicate as well: nobody is told that it was replaced. */
async function findReplaced(
  tables: Tables,
  caller: Caller,
  { memory, known, body, boundary }: Replacing,
): Promise<MemoryRow | undefined> {
  if (!body.supersedes) return undefined
  const found = await findToChange(tables, caller, boundary, body.supersedes)
  const { row: target, holders } = 'row' in found ? found : { row: undefined, holders: [] }
  if ('refused' in found && found.refused === 'scope_violation')
    throw new AppError(
      'scope_violation',
      `memory ${body.supersedes} is outside your scope; nothing was saved`,
    )
  // Whoever sees the target must see what replaces it.
  if (!target || target.is_deleted === 1 || holders.some(({ scope }) => scope !== memory.scope))
    throw new AppError('not_found', `there is no memory ${body.supersedes} to supersede; nothing was saved`)
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
  { by, body }: { by: string; body: RememberBody },
): Promise<Superseded> {
  const reason = body.reason?.trim() || 'superseded by a newer memory'
  return markSuperseded(deps, tables, caller, target, { by, reason })
}

async function insert(
  deps: RememberDeps,
  tables: Tables,
  caller: Caller,
  memory: MemoryRow,
  hints: readonly string[],
): Promise<void> {
  if (memory.agent_id !== defaultAgent) await tables.agents.register(memory.agent_id, memory.updated_at)
  const change = await tables.meta.nextChange()
  memory.change = change
  await tables.memories.insert(memory)
  await turnAfter(memory.content)
  await tables.hints.add(memory.id, hints)
  await recordChange(
    deps,
    tables,
    caller,
    { id: memory.id, change },
    {
      event: 'created',
      reason: 'explicit save',
      newContent: memory.content,
    },
  )
  await turnAfter(memory.content)
}

function reply({ row, hints, deduped }: Saved, body: RememberBody, embedded: boolean): RememberReply {
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
  }
}
