import type { SessionEvent } from '../../../contract/sessions/black-box.js'
import { clip } from '../../../lib/text/clip.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { MemoryState } from '../../../store/tables/memory/memory-overview.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

const maxPreview = 160
/** Of what more events name the newest are told. */
const maxMemories = 300
const maxEntities = 50

/** The beginning of a memory; empty for what may no longer be shown. */
export function previewOf({ is_deleted, safety_status, content }: MemoryState): string {
  return is_deleted === 0 && safety_status === 'clean' ? clip(content, maxPreview) : ''
}

export interface Boundaries {
  /** What may be read of memories. */
  memories: ReadBoundary
  /** What may be read of entities (knowledge.md#who-reads-what). */
  entities: ReadBoundary
}

/**
 * What the things are called that events name by their ids alone: beginnings of memories, names of entities, as far as
 * the reader may be told of them now.
 */
export async function namesIn(
  { store }: Pick<Daemon, 'store'>,
  boundaries: Boundaries,
  events: readonly SessionEvent[],
): Promise<Record<string, string>> {
  const { memories, entities } = store.tables
  const newest = [...events].reverse()
  const things = newest.flatMap(({ payload }) => payload.given ?? [])
  const entityIds = things.filter(({ kind }) => kind === 'entity').map(({ id }) => id)
  const memoryIds = newest.flatMap(({ refs }) => refs)
  const states = await memories.statesOf(firstOf(memoryIds, maxMemories), boundaries.memories)
  const told = await entities.told(firstOf(entityIds, maxEntities), boundaries.entities)
  return Object.fromEntries([
    ...states.map(state => [state.id, previewOf(state)] as const).filter(([, preview]) => preview !== ''),
    ...told.map(({ id, name }) => [id, name] as const),
  ])
}

function firstOf(ids: readonly string[], most: number): string[] {
  return [...new Set(ids)].slice(0, most)
}
