import type { EmbeddingSettings } from '../../contract/settings.js'
import { findWeights, hubFolder, namesModel } from '../../lib/workspace/model-folder.js'
import { type ChosenSettings, defaultModels } from './models.js'

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
