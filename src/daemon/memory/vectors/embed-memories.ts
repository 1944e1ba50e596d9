import { type Embedder, EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import { storeVector } from '../../ground/embedding/embed-now.js'
import type { Ground } from '../../ground/ground.js'
import { isHidden } from '../../ground/index/memory-entries.js'
import { searchedText } from '../../ground/text/searched-text.js'

const deadlineMs = 60_000
/** A text that every working provider accepts. */
const controlText = 'ok'

type Deps = Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>

/**
 * Makes the vectors of some memories in one call of the provider, behind every caller, and stores them.
 * @throws EmbeddingUnavailable when the provider is away, EmbeddingRefused when it does not take one of the texts.
 */
export async function embedMemories(deps: Deps, ids: readonly string[]): Promise<void> {
  const { memories, hints } = deps.store.tables
  const rows = (await memories.load(ids)).filter(row => !isHidden(row))
  if (rows.length === 0) return
  const hintsOf = await hints.of(rows.map(row => row.id))
  const texts = rows.map(row => searchedText(row, hintsOf.get(row.id) ?? []))
  const vectors = await embedTexts(deps.embedder(), texts)
  for (const [position, row] of rows.entries())
    await storeVector(deps, row, vectors[position] as Float32Array)
}

/** A provider that refuses even a plain word has a wrong setting: that is an outage, and no text is to blame. */
async function embedTexts(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const options = { kind: 'document', deadlineMs, background: true } as const
  try {
    return await embedder.embed(texts, options)
  } catch (refused) {
    if (!(refused instanceof EmbeddingRefused)) throw refused
    await embedder.embed([controlText], options).catch(error => {
      throw new EmbeddingUnavailable(error.message, { cause: error })
    })
    throw refused
  }
}
