import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { embedTexts, storeVectors } from '../../ground/embedding/embed-now.js'
import type { Ground } from '../../ground/ground.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import { searchedText } from '../../ground/text/searched-text.js'

type Deps = Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>

/** A memory whose text the model will never embed. */
export type UnreadMemory = Pick<MemoryRow, 'id' | 'content'>

/** Number of stored vectors, and memories that the model will never embed. */
export interface EmbeddedMemories {
  stored: number
  unread: UnreadMemory[]
}

/**
 * Embeds memories in one call of the provider, with lower priority than requests, and stores the vectors.
 * Memories forgotten in between are skipped.
 * @throws EmbeddingUnavailable when the provider is unreachable, EmbeddingRefused when it rejects one of the
 * texts.
 */
export async function embedMemories(
  deps: Deps,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<EmbeddedMemories> {
  const { memories, hints } = deps.store.tables
  const rows = (await memories.load(ids)).filter(row => !isHidden(row))
  if (rows.length === 0) return { stored: 0, unread: [] }
  const hintsOf = await hints.of(rows.map(row => row.id))
  const texts = rows.map(row => searchedText(row, hintsOf.get(row.id) ?? []))
  const model = deps.embedder().status()
  const vectors = await embedTexts(deps.embedder(), texts, signal)
  const made = rows.flatMap(({ id, content }, position) => {
    const vector = vectors[position]
    return vector ? [{ id, content, vector }] : []
  })
  const unread = rows.filter((_, position) => !vectors[position])
  return { stored: made.length > 0 ? await storeVectors(deps, model, made) : 0, unread }
}
