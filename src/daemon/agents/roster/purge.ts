import { join } from 'node:path'
import { removeNote } from '../../../store/files/note-file.js'
import type { TraceKind } from '../../../store/tables/agents/agent-traces.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import type { Author } from '../../ground/visibility/caller.js'
import { forgetImports } from '../../knowledge/transcript-import/removal/remove-imported.js'
import { purgeAll, softDeleteAll } from '../../memory/edit/remove.js'
import { removeNoteOf } from '../../memory/remember/native-note.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { forgetConversations } from '../../sessions/capture/forget-conversations.js'

/** Memories deleted in one transaction; requests wait while it runs. */
const sliceRows = 20
/** Files and summaries handled in one step. */
const sliceFiles = 20

const traceKinds: readonly TraceKind[] = [
  'recalls',
  'recallRecords',
  'continuity',
  'work',
  'blackBoxes',
  'summaries',
  'messages',
  'receipts',
  'ontologyRecords',
  'attentions',
  'entities',
  'chunks',
  'documents',
  'skillUses',
  'sessions',
]

export type RemovalDeps = Pick<
  Daemon,
  | 'store'
  | 'index'
  | 'transcriptIndex'
  | 'capturing'
  | 'budget'
  | 'paths'
  | 'configuration'
  | 'clock'
  | 'newId'
  | 'log'
  | 'wake'
  | 'recallRecorder'
  | 'blackBoxes'
>

/** A removal as stored in the agent's row, so the next start can resume it after a kill. */
export interface StoredRemoval {
  purge: boolean
  author: Author
}

/** A removal in progress. */
export interface Removal extends StoredRemoval {
  agent: string
  /** Lets other work run between steps. @throws AppError `mutations_frozen`, or the stop signal's reason. */
  betweenSteps(): Promise<void>
}

/** Deletes all traces of an agent except its memories. Conversations go first, since they take longest. */
export async function purgeTraces(deps: RemovalDeps, { agent, betweenSteps }: Removal): Promise<void> {
  await forgetImports(deps, agent, betweenSteps)
  await forgetConversations(deps, agent, betweenSteps)
  await dropCompactions(deps, agent)
  // Buffered rows would otherwise be written after their kind was dropped.
  await deps.recallRecorder.flush()
  await deps.blackBoxes.flush()
  const { agentTraces } = deps.store.tables
  for (const kind of traceKinds) while ((await agentTraces.drop(kind, agent)) > 0) await betweenSteps()
}

/** Deletes each file before its row: the row contains the path. */
async function dropCompactions({ store, paths }: RemovalDeps, agent: string): Promise<void> {
  const { agentTraces } = store.tables
  for (;;) {
    const rows = await agentTraces.compactions(agent, sliceFiles)
    if (rows.length === 0) return
    for (const { path } of rows) await removeNote(join(paths.root, path))
    await agentTraces.dropCompactions(rows.map(({ node_id }) => node_id))
  }
}

/** Deletes an agent's archived memories and their copies in cold storage. @returns the number of memories. */
export async function purgeMemories(deps: RemovalDeps, removal: Removal): Promise<number> {
  const { agentMemories } = deps.store.tables
  let purged = 0
  for (;;) {
    const ids = await agentMemories.archived(removal.agent, sliceRows)
    if (ids.length === 0) break
    await deletePermanently(deps, removal, ids)
    purged += ids.length
    await removal.betweenSteps()
  }
  for (;;) {
    const ids = await deps.store.transaction(async tables => {
      const dropped = await tables.agentMemories.dropCold(removal.agent, sliceRows)
      await tables.agentMemories.blankHistory(dropped, reasonOf(removal))
      return dropped
    })
    if (ids.length === 0) return purged
    await removal.betweenSteps()
  }
}

/**
 * Removes other agents' saved summaries that repeat an agent's memories. An archiving removal forgets them; a
 * purge deletes them.
 */
export async function forgetSummaries(deps: RemovalDeps, removal: Removal): Promise<void> {
  const { agentMemories } = deps.store.tables
  for (let after = 0; ; ) {
    const page = await agentMemories.summariesAfter(removal.agent, after, sliceFiles)
    if (!page) return
    after = page.last
    if (removal.purge) await deletePermanently(deps, removal, page.ids)
    else await forgetAll(deps, removal, page.ids)
    await removal.betweenSteps()
  }
}

async function forgetAll(deps: RemovalDeps, { author }: Removal, ids: readonly string[]): Promise<void> {
  const forgotten = await deps.store.transaction(async tables => {
    const rows = (await tables.memories.load(ids)).filter(row => !isHidden(row))
    await softDeleteAll(deps, tables, author, rows, 'the agent of a source was removed')
    return rows
  })
  for (const { id } of forgotten) deps.index.remove(id)
}

async function deletePermanently(deps: RemovalDeps, removal: Removal, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  for (const source of await deps.store.tables.agentMemories.sourcesOf(ids)) await removeNoteOf(deps, source)
  await deps.store.transaction(tables => purgeAll(deps, tables, removal.author, ids, reasonOf(removal)))
  for (const id of ids) deps.index.remove(id)
}

function reasonOf({ agent }: Removal): string {
  return `agent ${agent} was purged`
}
