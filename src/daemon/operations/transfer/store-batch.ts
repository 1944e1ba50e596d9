import type { ImportReply, TransferLine } from '../../../contract/operations/transfer.js'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { Store } from '../../../store/store.js'
import type { NewHistoryRow } from '../../../store/tables/memory/history.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory, MemoryRow, NewMemory } from '../../../store/tables/memory/memories.js'
import type { NewAgent } from '../../../store/tables/operations/transfer.js'
import type { Tables } from '../../../store/tables/tables.js'
import { isHidden, toEntry } from '../../ground/index/memory-entries.js'
import { learnProjects } from '../../ground/projects/learn-projects.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { addHolders, isSamePlace } from '../../memory/records/holders.js'
import { judgeMemory } from '../../memory/records/judge-memory.js'
import { type FreshMemory, initialContent, insertMemories } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { claimsOf, type NamedHolders, sharedSpace, storedClaimants } from './imported-row.js'
import { type KnownEntry, type MemoryEntry, wholeEntry } from './read-entries.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'projects'>

/** Ids and unique keys a dry run would have stored so far. */
export interface DryRunClaims {
  ids: Set<string>
  /** Maps each unique key to the id of the memory that has it. */
  claimants: Map<string, string>
}

export interface Batch {
  entries: readonly (MemoryEntry | KnownEntry)[]
  agents: readonly NewAgent[]
  policies: AgentPolicies
  /** Set in a dry run, which writes nothing. */
  claims: DryRunClaims | undefined
  /** Lets other work have its turn. */
  budget: LoopBudget
  indexing: Indexing
}

/** The rows sent to the index; one batch is indexed while the next one is stored. */
export interface Indexing {
  /** Resolves once all of them are indexed. */
  last: Promise<void>
}

export type BatchResult = Pick<
  ImportReply,
  'memories' | 'imported' | 'skipped' | 'unsafe' | 'events' | 'duplicateOf'
>

/** An entry prepared for storing. Its row is completed in place, because copying so many columns is slow. */
interface PreparedEntry {
  entry: MemoryEntry
  row: MemoryRow
  /** All but the first, which the row names. */
  holders: readonly Holder[]
  /** Its unique keys. */
  claims: readonly string[]
}

interface SortedBatch {
  fresh: PreparedEntry[]
  skipped: number
  known: (PreparedEntry & { existingId: string })[]
}

type TransferredAgent = Extract<TransferLine, { kind: 'agent' }>

interface AgentPolicies {
  /** Stores an agent line of the file. @returns its row */
  learn(agent: TransferredAgent, now: Date): NewAgent
  /**
   * Tells whether an agent's global memories share their hashes with others: its policy here decides, then
   * the file's.
   */
  shares(agentId: string): Promise<boolean>
}

/**
 * Stores a batch in one transaction, then sends it to the index; it is on disk once the store is synced, and
 * found once `indexing` is done. A stored id is skipped. Of several alive memories with one content or
 * idempotency key the first stays and gets the holders of the others (rules.md 1.1; rules.md#holders).
 */
export async function storeBatch(deps: Deps, caller: Caller, batch: Batch): Promise<BatchResult> {
  const { claims } = batch
  const entries = await withoutStored(deps, batch.entries)
  const prepared: PreparedEntry[] = []
  for (const entry of entries) prepared.push(await prepare(deps, entry, batch))
  if (!claims) {
    const keys = prepared.map(({ row }) => row.project)
    await learnProjects(deps.projects, keys, deps.clock())
  }
  // A dry run records what would be stored, so it can only sort once.
  if (claims) await judge(prepared.filter(isUnjudged), batch)
  let stored = await store(deps, caller, batch, prepared)
  while ('unjudged' in stored) {
    await judge(stored.unjudged, batch)
    stored = await store(deps, caller, batch, prepared)
  }
  const { sorted, rows, held } = stored
  await index(deps, rows, batch)
  if (held.length > 0) await deps.index.apply(held)
  const { fresh, skipped, known } = sorted
  return {
    memories: batch.entries.length,
    imported: fresh.length,
    skipped: batch.entries.length - entries.length + skipped,
    duplicateOf: known.map(({ entry, row, existingId }) => ({ line: entry.line, id: row.id, existingId })),
    unsafe: fresh.filter(({ row }) => row.safety_status !== 'clean').length,
    events: fresh.reduce((sum, { entry }) => sum + entry.events.length, 0),
  }
}

/** Entries that are not stored. Those that were stored when their line was read are looked up again. */
async function withoutStored(
  { store }: Pick<Deps, 'store'>,
  entries: Batch['entries'],
): Promise<MemoryEntry[]> {
  const known = entries.flatMap(entry => (entry.kind === 'known' ? entry.id : []))
  const stored = known.length > 0 ? await store.tables.transfer.storedIds(known) : new Set()
  return entries.flatMap(entry => {
    if (entry.kind === 'memory') return entry
    return stored.has(entry.id) ? [] : wholeEntry(entry)
  })
}

interface StoredBatch {
  sorted: SortedBatch
  rows: IndexInput[]
  /** Existing memories with an additional holder. */
  held: MemoryRow[]
}

/** Runs in one transaction. @returns unscanned new rows, if there are any, having written nothing */
async function store(
  deps: Deps,
  caller: Caller,
  batch: Batch,
  prepared: readonly PreparedEntry[],
): Promise<StoredBatch | { unjudged: PreparedEntry[] }> {
  const { agents, claims } = batch
  if (prepared.length === 0 && agents.length === 0) return { sorted: noneSorted(), rows: [], held: [] }
  return deps.store.write({ until: 'committed', rows: prepared.length }, async tables => {
    const sorted = await sort(tables, prepared, claims ?? { ids: new Set(), claimants: new Map() })
    const unjudged = sorted.fresh.filter(isUnjudged)
    if (unjudged.length > 0) return { unjudged }
    if (claims) return { sorted, rows: [], held: [] }
    await tables.transfer.insertAgents(agents)
    const rows = sorted.fresh.map(one => freshOf(caller, one))
    await insertMemories(deps, tables, rows, 'import', () => batch.budget.breathe())
    return { sorted, rows, held: await addKnown(deps, tables, caller, sorted.known) }
  })
}

/** Rows are unscanned when their content, key or id was known as the line was read. */
function isUnjudged({ row }: PreparedEntry): boolean {
  return row.safety_status === ''
}

async function judge(prepared: readonly PreparedEntry[], { budget }: Batch): Promise<void> {
  for (const { entry, row } of prepared)
    Object.assign(row, await judgeMemory(row, entry.hints, row.safety_scanned_at, () => budget.breathe()))
}

async function prepare(
  { clock }: Pick<Deps, 'clock'>,
  entry: MemoryEntry,
  { policies }: Batch,
): Promise<PreparedEntry> {
  const { row } = entry
  if (row.hash_space === row.agent_id && row.visibility === 'global' && (await policies.shares(row.agent_id)))
    row.hash_space = sharedSpace
  const holders = furtherHolders(entry.holders, row)
  row.further_holders = holders.length
  row.safety_scanned_at = clock().toISOString()
  return { entry, row, holders, claims: claimsOf(row) }
}

/** A stored row in the form for the index. */
interface IndexInput {
  row: IndexedMemory
  hints: readonly string[]
  holders: readonly Holder[]
}

function freshOf(author: Caller, { entry, row, holders }: PreparedEntry): FreshMemory & IndexInput {
  return { author, row, hints: entry.hints, holders, told: eventsOf(entry) }
}

const noneSorted = (): SortedBatch => ({ fresh: [], skipped: 0, known: [] })

/** Separates new memories from known ones, and records the new ones in `claims`. */
async function sort(
  tables: Tables,
  prepared: readonly PreparedEntry[],
  claims: DryRunClaims,
): Promise<SortedBatch> {
  const sorted = noneSorted()
  if (prepared.length === 0) return sorted
  const stored = await tables.transfer.storedIds(prepared.map(({ row }) => row.id))
  const claimants = await storedClaimants(
    tables.transfer,
    prepared.map(({ row }) => row),
  )
  for (const one of prepared) {
    const { id } = one.row
    if (stored.has(id) || claims.ids.has(id)) {
      sorted.skipped++
      continue
    }
    const keys = one.claims
    const existingId = keys.map(key => claimants.get(key) ?? claims.claimants.get(key)).find(Boolean)
    if (existingId) {
      sorted.known.push({ ...one, existingId })
      continue
    }
    claims.ids.add(id)
    for (const key of keys) claims.claimants.set(key, id)
    sorted.fresh.push(one)
  }
  return sorted
}

/** The imported history of a memory, without change numbers. */
function eventsOf({ row, events }: MemoryEntry): NewHistoryRow[] {
  const textOf = (text: string | null | undefined) => (text === undefined ? row.content : text)
  // Marks a text as the initial one only when no event in the file shows another.
  const isOne = events.every(({ oldContent, newContent }) => !(oldContent ?? newContent))
  return events.map(event => ({
    id: event.id,
    memory_id: row.id,
    event: event.event,
    old_content: textOf(event.oldContent),
    new_content:
      isOne && event.event === 'created'
        ? initialContent(textOf(event.newContent))
        : textOf(event.newContent),
    changed_by: event.changedBy,
    actor_type: event.actorType,
    reason: event.reason,
    metadata: event.metadata == null ? null : JSON.stringify(event.metadata),
    session_id: event.sessionId ?? null,
    request_id: event.requestId ?? null,
    created_at: event.createdAt,
    change: 0,
  }))
}

async function index(
  deps: Deps,
  rows: readonly IndexInput[],
  { budget, indexing }: Pick<Batch, 'budget' | 'indexing'>,
): Promise<void> {
  await indexing.last
  for (const { row, hints, holders } of rows) {
    if (!isHidden(row)) deps.index.upsert(toEntry(row, hints, holders))
    const pause = budget.breathe()
    if (pause) await pause
  }
  indexing.last = deps.index.settled()
  // The next batch awaits this promise later and gets the error then.
  indexing.last.catch(() => undefined)
}

type Row = Pick<NewMemory, 'agent_id' | 'project' | 'scope' | 'visibility' | 'created_at'>

/** The additional holders in a file, each once. Holders of a private memory are private too. */
function furtherHolders(holders: NamedHolders = [], row: Row): Holder[] {
  const first = { agent_id: row.agent_id, project: row.project ?? null, scope: row.scope ?? null }
  const further: Holder[] = []
  for (const { held_at = row.created_at, ...place } of holders) {
    const visibility = row.visibility === 'private' ? 'private' : place.visibility
    const holder = { ...place, visibility, held_at }
    if (![first, ...further].some(other => isSamePlace(other, holder))) further.push(holder)
  }
  return further
}

/**
 * Adds the file's holders to the memories that already have the same content or key (rules.md#holders).
 * @returns the changed rows in their new state
 */
async function addKnown(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  known: SortedBatch['known'],
): Promise<MemoryRow[]> {
  const ids = [...new Set(known.map(({ existingId }) => existingId))]
  const rows = new Map((await tables.memories.load(ids)).map(row => [row.id, row]))
  const saves = known.flatMap(({ existingId, row: imported, holders }) => {
    const row = rows.get(existingId)
    return row ? { row, places: [imported, ...holders.map(holder => ({ ...imported, ...holder }))] } : []
  })
  return addHolders(deps, tables, caller, saves)
}

/** Read policies of the agents in one import. */
export function createAgentPolicies({ tables }: Pick<Store, 'tables'>): AgentPolicies {
  const fromFile = new Map<string, string>()
  const answers = new Map<string, boolean>()
  return {
    learn: ({ kind: _kind, ...agent }, now) => {
      fromFile.set(agent.id, agent.read_policy)
      return { ...agent, updated_at: now.toISOString() }
    },
    shares: async agentId => {
      const known = answers.get(agentId)
      if (known !== undefined) return known
      const row = await tables.agents.find(agentId)
      const shares = (row?.read_policy ?? fromFile.get(agentId) ?? 'shared') === 'shared'
      answers.set(agentId, shares)
      return shares
    },
  }
}
