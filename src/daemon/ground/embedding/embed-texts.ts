import {
  type EmbeddedText,
  type Embedder,
  EmbeddingRefused,
  EmbeddingUnavailable,
} from '../../../store/embedding/embedder.js'

const deadlineMs = 60_000
/** A text that every working provider accepts. */
const controlText = 'ok'

/**
 * Vectors of some texts in one call of the provider, behind every caller. A provider that refuses even a plain word has a
 * wrong setting: that is an outage, and no text is to blame.
 * @throws EmbeddingUnavailable when the provider is away, EmbeddingRefused when it does not take one of the texts.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<EmbeddedText[]> {
  const options = { kind: 'document', deadlineMs, background: true, ...(signal && { signal }) } as const
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
