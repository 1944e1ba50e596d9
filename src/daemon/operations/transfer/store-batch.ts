import type { ImportReply, TransferredMemory } from '../../../contract/operations/transfer.js'
import type { LoopBudget } from '../../../lib/loop-budget.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory, NewMemory } from '../../../store/tables/memory/memories.js'
import type { NewAgent, NewEvent } from '../../../store/tables/operations/transfer.js'
import type { Tables } from '../../../store/tables/tables.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { type JudgedColumns, judgeMemory } from '../../memory/records/judge-memory.js'
import { contentHash, storageContent } from '../../memory/records/normalise-content.js'
import { createdWith } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { AgentPolicies } from './agent-policies.js'
import { furtherHolders, holdKnown } from './import-holders.js'
import type { MemoryEntry } from './read-entries.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/** What a dry run would have stored so far. */
export interface Claims {
  ids: Set<string>
  /** By what can be claimed once only: the id of the memory that claims it. */
  claimants: Map<string, string>
}

export interface Batch {
  entries: readonly MemoryEntry[]
  agents: readonly NewAgent[]
  policies: AgentPolicies
  /** Set in a dry run: then nothing is written. */
  claims: Claims | undefined
  /** Lets other work have its turn. */
  budget: LoopBudget
}

export type BatchResult = Pick<
  ImportReply,
  'memories' | 'imported' | 'skipped' | 'unsafe' | 'events' | 'duplicateOf'
>

type UnjudgedRow = Omit<NewMemory, 'change' | keyof JudgedColumns>

/** An entry as it is to be stored, but for its place in the change sequence. */
interface Prepared {
  entry: MemoryEntry
  row: Omit<NewMemory, 'change'>
  /** All but the first, which the row names. */
  holders: readonly Holder[]
}

/** The same before it is judged, which is dear and only worth it for what will be stored. */
type Unjudged = Omit<Prepared, 'row'> & { row: UnjudgedRow }

interface Sorted {
  fresh: Prepared[]
  skipped: number
  known: (Unjudged & { existingId: string })[]
}

/**
 * Stores a batch whole, then indexes it. A stored id is skipped; of several alive memories with one content or
 * idempotency key the first stays, and is held by whoever the others name (rules.md 1.1; rules.md#holders).
 */
export async function storeBatch(deps: Deps, caller: Caller, batch: Batch): Promise<BatchResult> {
  const { entries, agents, claims } = batch
  const stored = await deps.store.tables.transfer.storedIds(entries.map(({ memory }) => memory.id))
  const unjudged: Unjudged[] = []
  for (const entry of entries) if (!stored.has(entry.memory.id)) unjudged.push(await prepare(entry, batch))
  const verdicts = await judgeNew(deps, unjudged, batch)
  const judged = async (one: Unjudged): Promise<Prepared> => {
    const verdict = verdicts.get(one) ?? (await judge(deps, one, batch))
    return { ...one, row: { ...one.row, ...verdict } }
  }
  const { sorted, rows, held } = await deps.store.transaction(async tables => {
    const sorted = await sort(tables, unjudged, {
      claims: claims ?? { ids: new Set(), claimants: new Map() },
      judged,
    })
    if (claims) return { sorted, rows: [], held: [] }
    await tables.transfer.insertAgents(agents)
    const rows = await insert(deps, tables, caller, sorted.fresh)
    return { sorted, rows, held: await holdKnown(deps, tables, caller, sorted.known) }
  })
  await index(deps, rows, batch.budget)
  if (held.length > 0) await deps.index.restore(...held)
  const { fresh, skipped, known } = sorted
  return {
    memories: entries.length,
    imported: fresh.length,
    skipped: skipped + entries.length - unjudged.length,
    duplicateOf: known.map(({ entry, row, existingId }) => ({ line: entry.line, id: row.id, existingId })),
    unsafe: fresh.filter(({ row }) => row.safety_status !== 'clean').length,
    events: fresh.reduce((sum, { entry }) => sum + entry.events.length, 0),
  }
}

async function prepare(entry: MemoryEntry, { policies }: Batch): Promise<Unjudged> {
  const { kind: _kind, hints: _hints, holders: _holders, tags, structured, ...fields } = entry.memory
  const shared = fields.visibility === 'global' && (await policies.shares(fields.agent_id))
  const row = {
    ...fields,
    tags: tags.join(','),
    structured: structured ? JSON.stringify(structured) : null,
    content_hash: contentHash(storageContent(fields.content)),
    hash_space: spaceOf(fields, shared),
    updated_at: fields.updated_at ?? fields.created_at,
  }
  const holders = furtherHolders(entry.memory, row)
  return { entry, row: { ...row, further_holders: holders.length }, holders }
}

type Verdicts = ReadonlyMap<Unjudged, JudgedColumns>

/** Judges what no stored memory claims, outside of the transaction that will tell for certain. */
async function judgeNew(deps: Deps, unjudged: readonly Unjudged[], batch: Batch): Promise<Verdicts> {
  const verdicts = new Map<Unjudged, JudgedColumns>()
  const claimants = await storedClaimants(deps.store.tables, unjudged)
  for (const one of unjudged)
    if (!claimsOf(one.row).some(claim => claimants.has(claim)))
      verdicts.set(one, await judge(deps, one, batch))
  return verdicts
}

function judge(deps: Deps, { entry, row }: Unjudged, { budget }: Batch): Promise<JudgedColumns> {
  return judgeMemory(row, entry.memory.hints, deps.clock().toISOString(), () => budget.breathe())
}

/** An archived row takes part in no deduplication, as one that a removal archived here. */
function spaceOf(
  { id, agent_id, visibility }: Pick<NewMemory, 'id' | 'agent_id' | 'visibility'>,
  shared: boolean,
): string {
  if (visibility === 'archived') return ` ${id}`
  return shared ? '' : agent_id
}

/** A stored row as the index takes it. */
interface Indexed {
  row: IndexedMemory
  hints: readonly string[]
  holders: readonly Holder[]
}

interface Sorting {
  claims: Claims
  judged: (one: Unjudged) => Promise<Prepared>
}

/** Tells new memories from known ones, and notes the new ones in `claims`. */
async function sort(
  tables: Tables,
  unjudged: readonly Unjudged[],
  { claims, judged }: Sorting,
): Promise<Sorted> {
  const sorted: Sorted = { fresh: [], skipped: 0, known: [] }
  if (unjudged.length === 0) return sorted
  const stored = await tables.transfer.storedIds(unjudged.map(({ row }) => row.id))
  const claimants = await storedClaimants(tables, unjudged)
  for (const one of unjudged) {
    const { id } = one.row
    if (stored.has(id) || claims.ids.has(id)) {
      sorted.skipped++
      continue
    }
    const keys = claimsOf(one.row)
    const existingId = keys.map(key => claimants.get(key) ?? claims.claimants.get(key)).find(Boolean)
    if (existingId) {
      sorted.known.push({ ...one, existingId })
      continue
    }
    claims.ids.add(id)
    for (const key of keys) claims.claimants.set(key, id)
    sorted.fresh.push(await judged(one))
  }
  return sorted
}

async function storedClaimants(tables: Tables, unjudged: readonly Unjudged[]): Promise<Map<string, string>> {
  if (unjudged.length === 0) return new Map()
  const claimants = await tables.transfer.claimants(
    unjudged.map(({ row }) => row.content_hash),
    unjudged.flatMap(({ row }) => row.idempotency_key ?? []),
  )
  return new Map(claimants.flatMap(claimant => uniqueKeys(claimant).map(key => [key, claimant.id] as const)))
}

type Unique = 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'

/** What a row lays claim to: a forgotten one to nothing. */
function claimsOf(row: UnjudgedRow): string[] {
  return row.is_deleted === 1 ? [] : uniqueKeys(row)
}

/** What only one alive memory may hold: the unique indexes of the database. */
function uniqueKeys(row: Pick<NewMemory, Unique>): string[] {
  const { content_hash, hash_space, idempotency_key, agent_id, visibility, scope } = row
  const hash = JSON.stringify([content_hash, hash_space])
  return idempotency_key
    ? [hash, JSON.stringify([idempotency_key, agent_id, visibility, scope ?? ''])]
    : [hash]
}

async function insert(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  fresh: readonly Prepared[],
): Promise<Indexed[]> {
  if (fresh.length === 0) return []
  const now = deps.clock().toISOString()
  const owners = new Set(fresh.flatMap(({ row, holders }) => [row, ...holders].map(one => one.agent_id)))
  for (const agent of owners) if (agent !== defaultAgent) await tables.agents.register(agent, now)
  const events = fresh.map(({ entry }) => eventsOf(deps, caller, entry, now))
  let change = await tables.meta.nextChanges(events.reduce((sum, some) => sum + some.length, fresh.length))
  const numbered = fresh.map(({ row }, position) => {
    const history = (events[position] as EventFields[]).map(event => ({ ...event, change: change++ }))
    return { row: { ...row, change: change++ }, history }
  })
  await tables.transfer.insertMemories(numbered.map(({ row }) => row))
  await tables.transfer.insertHints(
    fresh.flatMap(({ entry }) =>
      entry.memory.hints.map((hint, position) => ({ memory_id: entry.memory.id, position, hint })),
    ),
  )
  for (const { row, holders } of fresh) for (const holder of holders) await tables.holders.put(row.id, holder)
  await tables.transfer.insertEvents(numbered.flatMap(({ history }) => history))
  return numbered.map(({ row }, position) => ({
    row: row as IndexedMemory,
    hints: (fresh[position] as Prepared).entry.memory.hints,
    holders: (fresh[position] as Prepared).holders,
  }))
}

type EventFields = Omit<NewEvent, 'change'>

/** The history that came with a memory; one without any begins here. */
function eventsOf(deps: Deps, caller: Caller, { memory, events }: MemoryEntry, now: string): EventFields[] {
  if (events.length === 0) return [createdHere(deps, caller, memory, now)]
  const textOf = (text: string | null | undefined) => (text === undefined ? memory.content : text)
  // As the beginning of what is told with it only where nothing in the file says that it was another.
  const isOne = events.every(({ oldContent, newContent }) => !(oldContent ?? newContent))
  return events.map(event => ({
    id: event.id,
    memory_id: memory.id,
    event: event.event,
    old_content: textOf(event.oldContent),
    new_content:
      isOne && event.event === 'created' ? createdWith(textOf(event.newContent)) : textOf(event.newContent),
    changed_by: event.changedBy,
    actor_type: event.actorType,
    reason: event.reason,
    metadata: event.metadata == null ? null : JSON.stringify(event.metadata),
    session_id: event.sessionId ?? null,
    request_id: event.requestId ?? null,
    created_at: event.createdAt,
  }))
}

function createdHere(deps: Deps, caller: Caller, memory: TransferredMemory, now: string): EventFields {
  return {
    id: deps.newId(),
    memory_id: memory.id,
    event: 'created',
    old_content: null,
    new_content: createdWith(memory.content),
    changed_by: caller.actor,
    actor_type: caller.actorType,
    reason: 'import',
    metadata: null,
    session_id: caller.sessionKey ?? null,
    request_id: caller.requestId,
    created_at: now,
  }
}

async function index(deps: Deps, rows: readonly Indexed[], budget: LoopBudget): Promise<void> {
  for (const { row, hints, holders } of rows) {
    if (!isHidden(row)) deps.index.upsert(row, hints, holders)
    await budget.breathe()
  }
  await deps.index.settled()
}
