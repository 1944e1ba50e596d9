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
 * Embeds texts in one low-priority provider call. A provider that refuses even a plain word is misconfigured:
 * that counts as an outage, not as a fault of the texts.
 * @throws EmbeddingUnavailable during an outage, EmbeddingRefused when it rejects one of the texts.
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
