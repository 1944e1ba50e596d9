import { totalmem } from 'node:os'
import type { EmbeddingSettings } from '../../contract/settings.js'
import { packageFile } from '../../lib/files/package-root.js'
import { namesModel } from '../../lib/workspace/model-folder.js'
import { keyFault } from '../secrets/key-fault.js'
import {
  type Embedder,
  type EmbedderState,
  type EmbedderStatus,
  EmbeddingUnavailable,
  type ProviderCall,
} from './embedder.js'
import { createHealth, type Health } from './health.js'
import { localProvider } from './local.js'
import { defaultModels, type ModelProfile, modelName, modelProfile, type ProviderSettings } from './models.js'
import {
  endpointUrl,
  type Fetch,
  isVector,
  lazyFetch,
  postJson,
  type RemoteProviderOptions,
} from './outbound.js'
import { type EmbeddingLog, type EmbeddingProvider, ProviderError, type RawVector } from './provider.js'
import { createRequests, isPresent } from './requests.js'
import { staticProvider } from './static-provider.js'
import { toUnitVectors } from './vectors.js'

export interface EmbedderOptions {
  settings: EmbeddingSettings
  /** Folder of downloaded models, each in `{owner}/{model}`. */
  modelsDir: string
  /** Folder of an installed native runtime, if any. */
  runtimeDir: string
  /** False disables automatic downloads; `pull` still downloads. */
  allowDownload: boolean
  /** Resolves a secret reference such as `env:NAME`; rejects when it is not set. */
  resolveSecret(reference: string): Promise<string>
  log?: EmbeddingLog
  /** Called after each call of the provider. */
  onAsked?(asked: ProviderCall): void
  clock?: () => Date
  fetch?: Fetch
  /** Origin from which models are downloaded. */
  remoteHost?: string
  workerUrl?: URL
  /** Path of the packaged model. */
  staticFile?: string
  downloadRetryMs?: number
  downloadStallMs?: number
}

interface ResolvedOptions extends EmbedderOptions {
  settings: ProviderSettings
}

/**
 * Creates the configured embedder. It does not load, download or call anything before the first `embed`,
 * `warm` or `pull`.
 */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const settings = withProvider(options.settings)
  return settings.provider === 'none' ? noEmbedder(options) : providerEmbedder({ ...options, settings })
}

function noEmbedder({ clock = systemClock }: EmbedderOptions): Embedder {
  const status: EmbedderStatus = {
    provider: 'none',
    model: '',
    dimensions: null,
    available: false,
    state: 'off',
    checkedAt: clock().toISOString(),
  }
  return {
    status: () => status,
    embed: () => Promise.reject(new EmbeddingUnavailable('no embedding provider is configured')),
    warm: () => undefined,
    pull: () => undefined,
    onChange: () => () => undefined,
    close: async () => undefined,
  }
}

function providerEmbedder(options: ResolvedOptions): Embedder {
  const { settings, clock = systemClock, onAsked } = options
  const profile = modelProfile(settings)
  const changes = createChanges(() => status())
  const createdAt = clock().getTime()
  const checked = createVectorCheck(profile.dimensions)
  const ask = async (texts: readonly string[], signal: AbortSignal) =>
    checked.unit(await provider.embed(texts, signal), texts.length)
  const askAtOnce = (text: string) => {
    const made = provider.embedAtOnce?.(text)
    return made && checked.unit([made.vector], 1)
  }
  const health = createHealth({
    now: () => clock().getTime(),
    probe: signal => ask(['ok'], signal),
    onChange: changes.notify,
  })
  const provider = createProvider(options, profile, {
    onChange: changes.notify,
    onLoaded: health.warmedUp,
  })
  const requests = createRequests({ provider, health, profile, ask, askAtOnce, ...(onAsked && { onAsked }) })

  const status = (): EmbedderStatus => {
    const ready = provider.readiness()
    const state = stateOf(ready.state, health)
    return {
      provider: settings.provider,
      model: modelName(settings),
      dimensions: checked.dimensions(),
      available: state === 'ready' || state === 'loading',
      state,
      error: ready.error ?? health.error(),
      runtime: ready.runtime,
      progress: ready.progress,
      // Made when it is asked for, since each save looks at the others.
      get checkedAt() {
        return new Date(health.checkedAt() ?? createdAt).toISOString()
      },
    }
  }
  const prepare = (force: boolean) => {
    if (isPresent(provider)) health.check()
    else provider.prepare(force)
  }

  return {
    status,
    embed: requests.embed,
    warm: () => prepare(false),
    pull: () => prepare(true),
    onChange: changes.subscribe,
    async close() {
      changes.clear()
      health.close()
      requests.close()
      await provider.close()
    },
  }
}

function systemClock(): Date {
  return new Date()
}

/** Checks that all vectors have the known length, or that of the first one. */
function createVectorCheck(known: number | null) {
  let dimensions = known
  return {
    dimensions: () => dimensions,
    unit(raw: readonly RawVector[], texts: number) {
      const vectors = toUnitVectors(raw, texts, dimensions)
      dimensions ??= vectors.find(vector => vector)?.length ?? null
      return vectors
    },
  }
}

/** A provider that was never called counts as ready. */
function stateOf(ready: EmbedderState, health: Health): EmbedderState {
  if (ready === 'missing' || ready === 'downloading') return ready
  if (health.failing()) return 'failing'
  return health.checking() ? 'loading' : ready
}

/** Notifies listeners only when the state or the error has changed. */
function createChanges(status: () => EmbedderStatus) {
  const listeners = new Set<(status: EmbedderStatus) => void>()
  let told: string | undefined
  return {
    notify() {
      if (listeners.size === 0) return
      const current = status()
      const key = JSON.stringify([current.state, current.error])
      if (key === told) return
      told = key
      for (const listener of listeners) listener(current)
    },
    subscribe(listener: (status: EmbedderStatus) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    clear: () => listeners.clear(),
  }
}

interface ProviderEvents {
  onChange(): void
  onLoaded(): void
}

function createProvider(
  options: ResolvedOptions,
  profile: ModelProfile,
  events: ProviderEvents,
): EmbeddingProvider {
  const { settings, fetch = lazyFetch, resolveSecret } = options
  const { provider, baseUrl, dimensions } = settings
  if (provider === 'static') {
    const model = modelName(settings)
    return staticProvider({ model, file: options.staticFile ?? packageFile('models', `${model}.bin`) })
  }
  if (provider === 'local') {
    return localProvider({
      ...options,
      ...events,
      profile,
      fetch,
    })
  }
  const remote = { baseUrl, model: modelName(settings), dimensions }
  const readKey = () => keyFrom(settings, resolveSecret)
  return provider === 'ollama'
    ? ollamaProvider({ ...remote, readKey })
    : openaiProvider({ ...remote, readKey })
}

/** Reads the key before each call, so it is not kept in memory and a new key works at once. */
async function keyFrom(
  { apiKey }: EmbeddingSettings,
  resolveSecret: EmbedderOptions['resolveSecret'],
): Promise<string | undefined> {
  if (!apiKey) return
  try {
    return await resolveSecret(apiKey)
  } catch (cause) {
    throw new ProviderError(keyFault('embedding.apiKey', apiKey, cause), { atOnce: true, cause })
  }
}

/** Bytes of memory below which a machine runs the word model: the sentence model takes some 100 MB. */
const scarceMemory = 1_500_000_000

/**
 * Adds the provider to the settings, and the folder of the packaged sentence model unless they name another
 * model. The default is a sentence model; without much memory it is the word model.
 * @param memory bytes of this machine
 */
export function withProvider(settings: EmbeddingSettings, memory = totalmem()): ProviderSettings {
  const isNamed = namesModel(settings)
  const provider = settings.provider ?? (isNamed || memory >= scarceMemory ? 'local' : 'static')
  if (provider !== 'local' || isNamed) return { ...settings, provider }
  return { ...settings, provider, modelPath: packageFile('models', defaultModels.local) }
}

/** Calls `/api/embed` of a local or remote Ollama. */
function ollamaProvider({
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
function openaiProvider({
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
