import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type EmbeddingSettings, embeddingSettings, type InferenceSettings } from '../../contract/settings.js'
import { namesModel } from '../../lib/workspace/model-folder.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { createEmbedder } from '../../store/embedding/create-embedder.js'
import type { Embedder } from '../../store/embedding/embedder.js'
import { countEmbedding } from '../ground/embedding/count-embedding.js'
import { createInference } from '../ground/inference/create-inference.js'
import type { Inference } from '../ground/inference/inference.js'
import type { Secrets } from '../ground/secrets/secrets.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import type { EventRecorder } from '../ground/telemetry/event-recorder.js'
import { type LedgerDeps, openEntry } from '../platform/inference/ledger.js'

export interface EmbeddingOptions {
  paths: Pick<WorkspacePaths, 'models' | 'runtime'>
  settings: SettingsWatch
  log: Logger
  clock: () => Date
  environment: NodeJS.ProcessEnv
  secrets: Secrets
  /** Counts provider calls. Called lazily, because the database is not open yet. */
  telemetry(): EventRecorder
  /** Called when the provider answers again. */
  onAvailable(): void
  /** Called after the settings name another provider or model; `current` is already the new embedder. */
  onModel(): void
}

/** The embedder of the current settings. */
export interface CurrentEmbedding {
  current(): Embedder
  /** True while a model is downloaded. */
  busy(): boolean
  close(): Promise<void>
}

export interface InferenceInForceOptions {
  settings: SettingsWatch
  log: Logger
  clock: () => Date
  secrets: Secrets
  /** Called lazily, because the database is not open yet. */
  ledger(): LedgerDeps
}

/** The language model of the current settings; a change aborts requests to the previous one. */
export interface CurrentInference {
  current(): Inference
  close(): Promise<void>
}

export function createCurrentEmbedding(options: EmbeddingOptions): CurrentEmbedding {
  const { settings, log, secrets, onAvailable, onModel } = options
  const open = (wanted: EmbeddingSettings): Embedder => {
    const embedder = openEmbedder(options, wanted)
    embedder.onChange(({ available }) => {
      if (available) onAvailable()
    })
    return embedder
  }
  const replace = (wanted: EmbeddingSettings): void => {
    const old = inForce
    inForce = open(wanted)
    void old.close()
  }
  let inForce = open(settings.current().settings.embedding)
  settings.onChange((next, previous) => {
    if (isDeepStrictEqual(next.embedding, previous.embedding)) return
    replace(next.embedding)
    log.info({ provider: next.embedding.provider, model: next.embedding.model }, 'embedding settings changed')
    onModel()
  })
  // A changed key or an unlocked store may lift an earlier rejection, so the provider is tried again at once.
  const wanted = (): EmbeddingSettings => settings.current().settings.embedding
  secrets.onChange(
    () => wanted().apiKey,
    () => {
      replace(wanted())
      onAvailable()
    },
  )
  return {
    current: () => inForce,
    busy: () => inForce.status().state === 'downloading',
    close: () => inForce.close(),
  }
}

/** The settings, with the provider of the environment where they name none. */
function withDefaultOf(environment: NodeJS.ProcessEnv, wanted: EmbeddingSettings): EmbeddingSettings {
  const { success, data } = embeddingSettings.shape.provider.safeParse(environment.SERVICE_EMBEDDING_PROVIDER)
  return success && !namesModel(wanted) ? { ...wanted, provider: wanted.provider ?? data } : wanted
}

function openEmbedder(
  { paths, log, clock, environment, secrets, telemetry }: EmbeddingOptions,
  settings: EmbeddingSettings,
): Embedder {
  const chosen = withDefaultOf(environment, settings)
  return createEmbedder({
    settings: chosen,
    modelsDir: paths.models,
    runtimeDir: paths.runtime,
    allowDownload: environment.SERVICE_EMBEDDING_DOWNLOAD !== '0',
    resolveSecret: secrets.resolve,
    onAsked: asked => countEmbedding(telemetry(), chosen, asked),
    log,
    clock,
  })
}

export function createCurrentInference(options: InferenceInForceOptions): CurrentInference {
  const { settings, log, clock, secrets, ledger } = options
  const wanted = (): InferenceSettings => settings.current().settings.inference
  const open = (): Inference =>
    createInference({
      settings: wanted(),
      resolveSecret: secrets.resolve,
      openEntry: question => openEntry(ledger(), question),
      clock,
    })
  let inForce = open()
  const replace = (): void => {
    const old = inForce
    inForce = open()
    void old.close()
  }
  settings.onChange(({ inference }, previous) => {
    if (isDeepStrictEqual(inference, previous.inference)) return
    replace()
    log.info({ provider: inference.provider, model: inference.model }, 'inference settings changed')
  })
  // A changed key may lift an earlier rejection, so the model is tried again at once.
  secrets.onChange(() => wanted().apiKey, replace)
  return { current: () => inForce, close: () => inForce.close() }
}
