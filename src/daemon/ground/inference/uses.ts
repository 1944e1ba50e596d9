import type { InferenceUse } from '../../../contract/ground/inference.js'
import type { Settings } from '../../../contract/settings.js'

/** Whether the settings let a model be asked for something: a provider is set, and the use is switched on (inference.md#uses). */
export function isEnabled({ inference, recall, dreaming }: Settings, use: InferenceUse): boolean {
  if (inference.provider === 'none') return false
  const enabled: Record<InferenceUse, boolean> = {
    dreaming: dreaming.useProvider,
    recall_summary: recall.summary.useProvider,
    reranking: recall.reranking.useProvider,
  }
  return enabled[use]
}

/** Tokens that a use may spend in a day, UTC (inference.md#limits). */
export function limitOf({ recall, dreaming }: Settings, use: InferenceUse): number {
  const limits: Record<InferenceUse, number> = {
    dreaming: dreaming.maxTokensPerDay,
    recall_summary: recall.maxTokensPerDay,
    reranking: recall.maxTokensPerDay,
  }
  return limits[use]
}
