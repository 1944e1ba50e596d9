import { Readable } from 'node:stream'
import { type ExportQuery, exportFormat, type WrittenLine } from '../../../contract/operations/transfer.js'
import { LoopBudget } from '../../../lib/loop-budget.js'
import { isDamage } from '../../../store/damage.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { ExportedEvent } from '../../../store/tables/operations/exported-events.js'
import type {
  ExportedMemory,
  ExportPlace,
  Selection,
} from '../../../store/tables/operations/exported-memories.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { toFilter } from '../../memory/recall/recall-filter.js'
import { isTellable } from '../../memory/records/holders.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { eventLine, memoryLine } from './written-lines.js'

/** Memories that are read together. */
const batchSize = 200
/** Characters that go out together. */
const pieceLength = 256 * 1024

type Deps = Pick<Daemon, 'store' | 'clock'>

/**
 * Everything that is stored of the selected memories as JSON Lines, ordered by id, in slices that hold nothing else
 * up: a memory as it is when its slice is read, with exactly the history that made it so.
 */
export async function exportMemories(deps: Deps, caller: Caller, query: ExportQuery): Promise<Readable> {
  const { scope: _unscoped, ...filter } = toFilter(query)
  const selection: Selection = {
    boundary: agentOf(caller, query) === undefined ? undefined : await readBoundary(deps, caller, query),
    // Chunks without their document would be memories that nobody saved.
    filter: { ...filter, chunks: false, ...(query.scope !== undefined && { scope: query.scope }) },
    deleted: query.deleted,
  }
  const memories = await deps.store.tables.transfer.count(selection)
  return Readable.from(pieces(deps, selection, memories))
}

async function* pieces(deps: Deps, selection: Selection, memories: number): AsyncGenerator<string> {
  const exportedAt = deps.clock().toISOString()
  const version = (await deps.store.tables.holders.any()) ? 2 : 1
  yield write({ kind: 'header', format: exportFormat, version, exportedAt, memories })
  yield* agentLines(deps, selection)
  const total = { memories: 0, events: 0 }
  const budget = new LoopBudget()
  for (let batch = await readBatch(deps, selection, { last: '' }); batch; ) {
    if (batch.rows.length > 0) yield* batchLines(deps, batch, { total, budget, boundary: selection.boundary })
    await budget.breathe()
    batch = await readBatch(deps, selection, batch.next)
  }
  yield write({ kind: 'end', ...total })
}

/** Agents that the reader knows of by the rows it gets. */
async function* agentLines({ store }: Deps, { boundary }: Selection): AsyncGenerator<string> {
  for (const agent of await store.tables.transfer.agents()) {
    if (boundary && !boundary.agents.includes(agent.id)) continue
    const { id, name, policy_group, created_at } = agent
    const read_policy = agent.read_policy as 'isolated' | 'shared' | 'group'
    yield write({ kind: 'agent', id, name, read_policy, policy_group, created_at })
  }
}

interface Batch {
  /** Ascending by id. */
  rows: ExportedMemory[]
  hints: ReadonlyMap<string, string[]>
  /** All but the first of each, which its row names. */
  holders: ReadonlyMap<string, Holder[]>
  next: ExportPlace
  /** The newest change that these rows hold. */
  change: number
}

async function readBatch(deps: Deps, selection: Selection, after: ExportPlace): Promise<Batch | undefined> {
  try {
    return await readWhole(deps, selection, after)
  } catch (error) {
    if (!isDamage(error)) throw error
    return salvage(deps, selection, after.last)
  }
}

async function readWhole(
  { store }: Deps,
  selection: Selection,
  after: ExportPlace,
): Promise<Batch | undefined> {
  // One read transaction: a row with the hints it has, and the number up to which history made it so.
  return store.transaction(async tables => {
    const found = await tables.transfer.exportedAfter(selection, after, batchSize)
    if (!found) return undefined
    const { next } = found
    if (found.rows.length === 0) return { rows: [], hints: new Map(), holders: new Map(), next, change: 0 }
    const rows = await tables.accesses.counted(found.rows)
    return {
      rows,
      hints: await tables.hints.of(rows.map(({ id }) => id)),
      holders: await tables.holders.of(held(rows)),
      next,
      change: await tables.meta.lastChange(),
    }
  })
}

function held(rows: readonly ExportedMemory[]): string[] {
  return rows.filter(row => row.further_holders > 0).map(({ id }) => id)
}

/** Of a damaged database what can be read, row by row: an export is the way to a whole one. */
async function salvage({ store }: Deps, selection: Selection, after: string): Promise<Batch | undefined> {
  const { transfer, accesses, hints, holders, meta } = store.tables
  const ids = await transfer.anyIdsAfter(after, batchSize)
  const last = ids.at(-1)
  if (last === undefined) return undefined
  const change = await meta.lastChange()
  const batch: Batch = { rows: [], hints: new Map(), holders: new Map(), next: { last }, change }
  for (const id of ids)
    try {
      if (!(await transfer.isSelected(selection, id))) continue
      const rows = await accesses.counted(await transfer.exported(id))
      batch.hints = new Map([...batch.hints, ...(await hints.of([id]))])
      batch.holders = new Map([...batch.holders, ...(await holders.of([id]))])
      batch.rows.push(...rows)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  return batch
}

interface Output {
  total: { memories: number; events: number }
  budget: LoopBudget
  /** What it may tell of; undefined: everything. */
  boundary: ReadBoundary | undefined
}

async function* batchLines(
  deps: Deps,
  { rows, hints, holders, change }: Batch,
  { total, budget, boundary }: Output,
): AsyncGenerator<string> {
  const events = eventsOf(
    deps,
    rows.map(row => row.id),
    change,
  )
  let event = await events.next()
  let piece = ''
  for (const row of rows) {
    piece += memoryLine(row, { hints: hints.get(row.id), further: holders.get(row.id), boundary })
    total.memories++
    await budget.breathe()
    for (; !event.done && event.value.memory_id === row.id; event = await events.next()) {
      if (boundary && !isTellable(boundary, metadataOf(event.value))) continue
      piece += eventLine(event.value)
      total.events++
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}

function metadataOf({ metadata }: ExportedEvent): unknown {
  return metadata === null ? null : JSON.parse(metadata)
}

/** By memory, then by time. */
async function* eventsOf(
  { store }: Deps,
  ids: readonly string[],
  upTo: number,
): AsyncGenerator<ExportedEvent> {
  const pageAfter = (last?: ExportedEvent): Promise<ExportedEvent[]> => {
    const rest = last ? ids.slice(ids.indexOf(last.memory_id)) : ids
    return store.tables.transfer.eventsAfter(rest, upTo, last).catch((error: unknown) => {
      // A memory whose history cannot be read is worth more than none.
      if (!isDamage(error)) throw error
      return []
    })
  }
  let page = await pageAfter()
  while (page.length > 0) {
    yield* page
    page = await pageAfter(page.at(-1))
  }
}

function write(line: WrittenLine): string {
  return `${JSON.stringify(line)}\n`
}
