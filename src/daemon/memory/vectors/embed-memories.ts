import { storeVectors } from '../../ground/embedding/embed-now.js'
import { embedTexts } from '../../ground/embedding/embed-texts.js'
import type { Ground } from '../../ground/ground.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import { searchedText } from '../../ground/text/searched-text.js'

type Deps = Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>

/**
 * Makes the vectors of some memories in one call of the provider, behind every caller, and stores them.
 * @returns how many were stored: what is forgotten meanwhile needs none.
 * @throws EmbeddingUnavailable when the provider is away, EmbeddingRefused when it does not take one of the texts.
 */
export async function embedMemories(
  deps: Deps,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const { memories, hints } = deps.store.tables
  const rows = (await memories.load(ids)).filter(row => !isHidden(row))
  if (rows.length === 0) return 0
  const hintsOf = await hints.of(rows.map(row => row.id))
  const texts = rows.map(row => searchedText(row, hintsOf.get(row.id) ?? []))
  const vectors = await embedTexts(deps.embedder(), texts, signal)
  return storeVectors(
    deps,
    rows.map(({ id, content }, position) => ({ id, content, vector: vectors[position] as Float32Array })),
  )
}
