import { Readable } from 'node:stream'
import { type ExportQuery, exportFormat, type WrittenLine } from '../../../contract/operations/transfer.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { isDamage } from '../../../store/sqlite/connection/damage.js'
import type { Selection } from '../../../store/tables/operations/exported-memories.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { toFilter } from '../../memory/recall/search/filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type AskTransfer, transferThread } from './ask-transfer.js'
import { type Page, type Place, readPage, salvagePage } from './export-page.js'

/** A store of so many bytes is read in the thread of exports: a smaller one is not worth its start. */
const bytesHere = 4 * 1024 * 1024

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

/**
 * Everything that is stored of the selected memories as JSON Lines, ordered by id, in pages that hold nothing else up:
 * memories as they are when their page is read, with exactly the history that made them so.
 */
export async function exportMemories(deps: Deps, caller: Caller, query: ExportQuery): Promise<Readable> {
  const { store } = deps
  const { scope: _unscoped, ...filter } = toFilter(query)
  const selection: Selection = {
    boundary: agentOf(caller, query) === undefined ? undefined : await readBoundary(deps, caller, query),
    // Chunks without their document would be memories that nobody saved.
    filter: { ...filter, chunks: false, ...(query.scope !== undefined && { scope: query.scope }) },
    deleted: query.deleted,
  }
  const { count, bytes } = store.file.pages()
  const ask: AskTransfer =
    count * bytes > bytesHere ? transferThread(deps) : (_question, _given, here) => here()
  const memories = await ask('count', [selection], () => store.tables.transfer.count(selection))
  return Readable.from(pieces(deps, pagesOf(deps, ask, selection), selection, memories))
}

async function* pieces(
  deps: Deps,
  pages: AsyncGenerator<Page>,
  selection: Selection,
  memories: number,
): AsyncGenerator<string | Uint8Array> {
  const exportedAt = deps.clock().toISOString()
  const version = (await deps.store.tables.holders.any()) ? 2 : 1
  yield write({ kind: 'header', format: exportFormat, version, exportedAt, memories })
  yield* agentLines(deps, selection)
  const total = { memories: 0, events: 0 }
  for await (const { bytes, memories, events } of pages) {
    total.memories += memories
    total.events += events
    if (bytes.length > 0) yield bytes
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

/** One page is read while somebody takes the one before, and no more. */
export async function* pagesOf(
  { store }: Pick<Deps, 'store'>,
  ask: AskTransfer,
  selection: Selection,
): AsyncGenerator<Page> {
  const budget = new LoopBudget()
  const readHere = async (place: Place): Promise<Page | undefined> => {
    await budget.breathe()
    try {
      return await readPage(store, selection, place)
    } catch (error) {
      if (!isDamage(error)) throw error
      return salvagePage(store, selection, place)
    }
  }
  const pageAfter = (place: Place): Promise<Page | undefined> => {
    const page = ask('page', [selection, place], () => readHere(place))
    // Whoever takes it hears of it.
    page.catch(() => undefined)
    return page
  }
  for (let ahead = pageAfter({ last: '' }); ; ) {
    const page = await ahead
    if (!page) return
    ahead = pageAfter(page.next)
    yield page
  }
}

function write(line: WrittenLine): string {
  return `${JSON.stringify(line)}\n`
}
