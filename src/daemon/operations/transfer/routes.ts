import { Readable } from 'node:stream'
import { AppError } from '../../../contract/ground/errors.js'
import * as programs from '../../../contract/operations/import-from.js'
import * as contract from '../../../contract/operations/transfer.js'
import {
  type ExportQuery,
  exportFormat,
  type TransferLineInput,
} from '../../../contract/operations/transfer.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { isDamage } from '../../../store/faults.js'
import type { ExportSelection } from '../../../store/tables/operations/exported-memories.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { toFilter } from '../../memory/recall/search/filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { type SpoolLimit, withSpooled } from '../../platform/http/bodies/spool.js'
import { type AskTransfer, transferThread } from './ask-transfer.js'
import { type ExportPage, type ExportPosition, readPage, salvagePage } from './export-page.js'
import { importMemories } from './import.js'
import { importFrom, undoImportFrom } from './import-from.js'

const importLimit: SpoolLimit = {
  maxBytes: contract.maxImportBytes,
  tooLarge: () =>
    new AppError(
      'payload_too_large',
      `an import accepts at most ${contract.maxImportBytes} bytes: split the file between memories, and start each part with the header`,
    ),
}

/** A database larger than this is read on the thread; a smaller one is not worth starting it. */
const bytesHere = 4 * 1024 * 1024

/** Approximate bytes of a memory in a file, with its history. */
const bytesPerMemory = 800

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

export const routes = [
  route(contract.exportMemories, (daemon, { caller, query }) => exportMemories(daemon, caller, query)),
  route(contract.importMemories, (daemon, { caller, query, body }) =>
    withSpooled(daemon, body, importLimit, (content, bytes) => {
      if (!query.dryRun) daemon.index.expect(bytes / bytesPerMemory)
      return importMemories(daemon, caller, query, content)
    }),
  ),
  route(programs.importFrom, (daemon, { caller, body }) => importFrom(daemon, caller, body)),
  route(programs.undoImportFrom, (daemon, { caller, body }) => undoImportFrom(daemon, caller, body)),
]

/**
 * Exports the selected memories as JSON Lines ordered by id. Pages keep the export from blocking other work:
 * each memory is as of its page, with exactly the history that led to it.
 */
export async function exportMemories(deps: Deps, caller: Caller, query: ExportQuery): Promise<Readable> {
  const { store } = deps
  const { scope: _unscoped, ...filter } = toFilter(query)
  const selection: ExportSelection = {
    boundary: agentOf(caller, query) === undefined ? undefined : await readBoundary(deps, caller, query),
    // Chunks without their document would look like memories that nobody saved.
    filter: { ...filter, chunks: false, ...(query.scope !== undefined && { scope: query.scope }) },
    deleted: query.deleted,
  }
  const pages = store.file?.pages()
  const ask: AskTransfer =
    pages && pages.count * pages.bytes > bytesHere
      ? transferThread(deps)
      : (_question, _given, here) => here()
  const memories = await ask('count', [selection], () => store.tables.transfer.count(selection))
  return Readable.from(exportChunks(deps, pagesOf(deps, ask, selection), selection, memories))
}

async function* exportChunks(
  deps: Deps,
  pages: AsyncGenerator<ExportPage>,
  selection: ExportSelection,
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

/** Agents the reader knows of through the exported rows. */
async function* agentLines({ store }: Deps, { boundary }: ExportSelection): AsyncGenerator<string> {
  for (const agent of await store.tables.transfer.agents()) {
    if (boundary && !boundary.agents.includes(agent.id)) continue
    const { id, name, policy_group, created_at } = agent
    const read_policy = agent.read_policy as 'isolated' | 'shared' | 'group'
    yield write({ kind: 'agent', id, name, read_policy, policy_group, created_at })
  }
}

/** Reads one page ahead while the previous one is being sent, and no more. */
export async function* pagesOf(
  { store }: Pick<Deps, 'store'>,
  ask: AskTransfer,
  selection: ExportSelection,
): AsyncGenerator<ExportPage> {
  const budget = new LoopBudget()
  const readHere = async (place: ExportPosition): Promise<ExportPage | undefined> => {
    await budget.breathe()
    try {
      return await readPage(store, selection, place)
    } catch (error) {
      if (!isDamage(error)) throw error
      return salvagePage(store, selection, place)
    }
  }
  const pageAfter = (place: ExportPosition): Promise<ExportPage | undefined> => {
    const page = ask('page', [selection, place], () => readHere(place))
    // The consumer awaits this promise later and gets the error then.
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

function write(line: TransferLineInput): string {
  return `${JSON.stringify(line)}\n`
}
