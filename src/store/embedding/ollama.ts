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
        throw new ProviderError('the provider answered no list of `embeddings`')
      }
      return vectors
    },
  }
}
