import type { EmbeddingSettings } from '../../contract/settings.js'
import { packagedModel } from '../../lib/workspace/model-folder.js'

/** Settings with a known provider. */
export type ProviderSettings = EmbeddingSettings & { provider: NonNullable<EmbeddingSettings['provider']> }

export type Pooling = 'mean' | 'cls'

/** Parameters a model was trained with; vectors made with others are worth little. */
export interface ModelProfile {
  dimensions: number | null
  pooling: Pooling
  queryPrefix: string
  documentPrefix: string
}

const plain: ModelProfile = { dimensions: null, pooling: 'mean', queryPrefix: '', documentPrefix: '' }
const searchInstruction = 'Represent this sentence for searching relevant passages: '

const staticDimensions = 128

// Keys are the last parts of model names, without owner and tag.
const profiles: Record<string, Partial<ModelProfile>> = {
  'all-minilm-l6-v2': { dimensions: 384 },
  'all-minilm': { dimensions: 384 },
  'gte-small': { dimensions: 384 },
  'bge-small-en-v1.5': { dimensions: 384, pooling: 'cls', queryPrefix: searchInstruction },
  'snowflake-arctic-embed-xs': { dimensions: 384, pooling: 'cls', queryPrefix: searchInstruction },
  'snowflake-arctic-embed-s': { dimensions: 384, pooling: 'cls', queryPrefix: searchInstruction },
  'mxbai-embed-large': { dimensions: 1024, pooling: 'cls', queryPrefix: searchInstruction },
  'e5-small-v2': { dimensions: 384, queryPrefix: 'query: ', documentPrefix: 'passage: ' },
  'multilingual-e5-small': { dimensions: 384, queryPrefix: 'query: ', documentPrefix: 'passage: ' },
  'nomic-embed-text': { dimensions: 768, queryPrefix: 'search_query: ', documentPrefix: 'search_document: ' },
  'nomic-embed-text-v1.5': {
    dimensions: 768,
    queryPrefix: 'search_query: ',
    documentPrefix: 'search_document: ',
  },
  'text-embedding-3-small': { dimensions: 1536 },
  'text-embedding-3-large': { dimensions: 3072 },
}

export const defaultModels = {
  /** Version of the packaged model; a new file needs a new name, so that all vectors are recomputed. */
  static: 'static-en-1',
  local: packagedModel,
  openai: 'text-embedding-3-small',
  ollama: 'nomic-embed-text',
  none: '',
}

/** Returns the configured or default model; a local folder without a model name is named after the folder. */
export function modelName({ provider, model, modelPath }: ProviderSettings): string {
  if (provider === 'static') return defaultModels.static
  if (model) return model
  if (provider === 'local' && modelPath) return lastPart(modelPath)
  return defaultModels[provider]
}

/**
 * Returns the model's profile with the overrides of the settings. `dimensions` is null for unknown models.
 */
export function modelProfile(settings: ProviderSettings): ModelProfile {
  if (settings.provider === 'static') return { ...plain, dimensions: staticDimensions }
  const known = profiles[lastPart(modelName(settings)).toLowerCase().replace(/:.*$/, '')]
  const profile = { ...plain, ...known }
  return {
    ...profile,
    dimensions: settings.dimensions ?? profile.dimensions,
    queryPrefix: settings.queryPrefix ?? profile.queryPrefix,
    documentPrefix: settings.documentPrefix ?? profile.documentPrefix,
  }
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path
}
