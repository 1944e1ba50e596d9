import type { EmbeddingSettings } from '../../contract/settings.js'
import { packageFile } from '../../lib/files/package-root.js'
import { findWeights, hubFolder, namesModel } from '../../lib/workspace/model-folder.js'
import { keyFault } from '../secrets/key-fault.js'
import {
  type AskedTexts,
  type Embedder,
  type EmbedderState,
  type EmbedderStatus,
  EmbeddingUnavailable,
} from './embedder.js'
import { createHealth, type Health } from './health.js'
import { localProvider } from './local.js'
import { type ChosenSettings, defaultModels, type ModelProfile, modelName, modelProfile } from './models.js'
import { ollamaProvider } from './ollama.js'
import { openaiProvider } from './openai.js'
import { type Fetch, lazyFetch } from './outbound.js'
import { type EmbeddingLog, type EmbeddingProvider, ProviderError, type RawVector } from './provider.js'
import { createRequests, isPresent } from './requests.js'
import { staticProvider } from './static-provider.js'
import { toUnitVectors } from './vectors.js'

export interface EmbedderOptions {
  settings: EmbeddingSettings
  /** Downloaded models live here, in `{owner}/{model}`. */
  modelsDir: string
  /** Where a native runtime was installed, if one was. */
  runtimeDir: string
  /** False never downloads by itself; `pull` still does. */
  allowDownload: boolean
  /** The value behind a secret reference such as `env:NAME`; rejects when there is none. */
  resolveSecret(reference: string): Promise<string>
  log?: EmbeddingLog
  /** Told of each call of the provider. */
  onAsked?(asked: AskedTexts): void
  clock?: () => Date
  fetch?: Fetch
  /** Where models are downloaded from. */
  remoteHost?: string
  workerUrl?: URL
  /** The file with the model of this package. */
  staticFile?: string
  downloadRetryMs?: number
  downloadStallMs?: number
}

interface ChosenOptions extends EmbedderOptions {
  settings: ChosenSettings
}

/** Builds the configured embedder. Nothing is loaded, fetched or asked before the first `embed`, `warm` or `pull`. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const settings = withProvider(options.settings, options.modelsDir)
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

function providerEmbedder(options: ChosenOptions): Embedder {
  const { settings, clock = systemClock, onAsked } = options
  const profile = modelProfile(settings)
  const changes = createChanges(() => status())
  const createdAt = clock().getTime()
  const checked = createChecked(profile.dimensions)
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
      checkedAt: new Date(health.checkedAt() ?? createdAt).toISOString(),
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

/** Vectors of one length: the known one, or that of the first. */
function createChecked(known: number | null) {
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

/** Calls back only when the state or the reason differs from what was last told. */
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
  options: ChosenOptions,
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

/** Asked before each call: nobody keeps the key, and a change of it is in force at once. */
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

/**
 * The provider that the settings name. Without a name it is the sentence model on this machine, when one is named or was
 * fetched, and the model of this package otherwise.
 */
export function withProvider(settings: EmbeddingSettings, modelsDir: string): ChosenSettings {
  return { ...settings, provider: settings.provider ?? unnamed(settings, modelsDir) }
}

function unnamed(settings: EmbeddingSettings, modelsDir: string): 'local' | 'static' {
  if (namesModel(settings) || findWeights([hubFolder(modelsDir, defaultModels.local)])) return 'local'
  return 'static'
}
