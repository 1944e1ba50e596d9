import type { EmbeddingSettings } from '../../contract/settings.js'

/** Settings of which the provider is known. */
export type ChosenSettings = EmbeddingSettings & { provider: NonNullable<EmbeddingSettings['provider']> }

export type Pooling = 'mean' | 'cls'

/** What a model was trained with: vectors made otherwise are worth little. */
export interface ModelProfile {
  dimensions: number | null
  pooling: Pooling
  queryPrefix: string
  documentPrefix: string
}

const plain: ModelProfile = { dimensions: null, pooling: 'mean', queryPrefix: '', documentPrefix: '' }
const searchInstruction = 'Represent this sentence for searching relevant passages: '

const staticDimensions = 128

// By the last part of the model's name, without owner and tag.
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
  /** The version of the model in this package: another file gets another name, so that all vectors are made anew. */
  static: 'static-en-1',
  local: 'Xenova/all-MiniLM-L6-v2',
  openai: 'text-embedding-3-small',
  ollama: 'nomic-embed-text',
  none: '',
}

/** The configured model, or the provider's default; a local folder without a model name is named after the folder. */
export function modelName({ provider, model, modelPath }: ChosenSettings): string {
  if (provider === 'static') return defaultModels.static
  if (model) return model
  if (provider === 'local' && modelPath) return lastPart(modelPath)
  return defaultModels[provider]
}

/** The profile of the configured model, with what the settings override. `dimensions` is null for a model we don't know. */
export function modelProfile(settings: ChosenSettings): ModelProfile {
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
