import { endpointUrl, isVector, postJson, type RemoteProviderOptions } from './outbound.js'
import { type EmbeddingProvider, ProviderError } from './provider.js'

/** Calls `/api/embed` of a local or remote Ollama. */
export function ollamaProvider({
  baseUrl = 'http://127.0.0.1:11434',
  model,
  dimensions,
  readKey,
}: RemoteProviderOptions): EmbeddingProvider {
  return {
    // Ollama runs one request at a time by default, so more would only wait there.
    concurrency: { total: 2, background: 1 },
    batch: { maxTexts: 16, maxChars: 32_000 },
    readiness: () => ({ state: 'ready' }),
    prepare: () => undefined,
    close: async () => undefined,
    async embed(texts, signal) {
      const url = endpointUrl(baseUrl, '/api/embed')
      const body = { model, input: texts, truncate: true, dimensions }
      const reply = await postJson({ url, body, key: await readKey(), signal })
      const vectors = (reply as { embeddings?: unknown } | null)?.embeddings
      if (!Array.isArray(vectors) || !vectors.every(isVector)) {
        throw new ProviderError('the provider returned no list of `embeddings`')
      }
      return vectors
    },
  }
}

/** Calls `/embeddings` of any OpenAI-compatible server. */
export function openaiProvider({
  baseUrl = 'https://api.openai.com/v1',
  model,
  dimensions,
  readKey,
}: RemoteProviderOptions): EmbeddingProvider {
  return {
    concurrency: { total: 4, background: 1 },
    batch: { maxTexts: 64, maxChars: 100_000 },
    readiness: () => ({ state: 'ready' }),
    prepare: () => undefined,
    close: async () => undefined,
    async embed(texts, signal) {
      const url = endpointUrl(baseUrl, '/embeddings')
      const body = { model, input: texts, encoding_format: 'float', dimensions }
      return vectorsInOrder(await postJson({ url, body, key: await readKey(), signal }))
    },
  }
}

/** Sorts the vectors by `index`, as servers may answer in any order. */
function vectorsInOrder(reply: unknown): number[][] {
  const data = (reply as { data?: { index?: unknown; embedding?: unknown }[] } | null)?.data
  if (!Array.isArray(data)) throw new ProviderError('the provider returned no `data` list')
  const vectors: number[][] = []
  for (const [position, item] of data.entries()) {
    const index = typeof item?.index === 'number' ? item.index : position
    if (!isVector(item?.embedding) || !Number.isInteger(index) || index < 0 || index >= data.length) {
      throw new ProviderError('the provider returned something other than a list of vectors')
    }
    vectors[index] = item.embedding
  }
  // A repeated index leaves a gap, because the length counts up to the highest index.
  if (Object.keys(vectors).length !== data.length)
    throw new ProviderError('the provider returned two vectors for one text')
  return vectors
}
