import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { storeVectors } from '../../ground/embedding/embed-now.js'
import { embedTexts } from '../../ground/embedding/embed-texts.js'
import type { Ground } from '../../ground/ground.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import { searchedText } from '../../ground/text/searched-text.js'

type Deps = Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>

/** A memory with a text that the model will never make a vector of. */
export type UnreadMemory = Pick<MemoryRow, 'id' | 'content'>

/** What became of some memories: how many vectors were stored, and which the model will never make. */
export interface EmbeddedMemories {
  stored: number
  unread: UnreadMemory[]
}

/**
 * Makes the vectors of some memories in one call of the provider, behind every caller, and stores them: what is forgotten
 * meanwhile needs none.
 * @throws EmbeddingUnavailable when the provider is away, EmbeddingRefused when it does not take one of the texts.
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
