import type { InferenceUse } from '../../../contract/ground/inference.js'
import type { Settings } from '../../../contract/settings.js'

/**
 * True if the settings allow a use of the model: a provider is set, and the use is enabled
 * (inference.md#uses).
 */
export function isEnabled({ inference, recall, dreaming }: Settings, use: InferenceUse): boolean {
  if (inference.provider === 'none') return false
  const enabled: Record<InferenceUse, boolean> = {
    dreaming: dreaming.useProvider,
    recall_summary: recall.summary.useProvider,
    reranking: recall.reranking.useProvider,
  }
  return enabled[use]
}

/** Daily token limit of a use, UTC (inference.md#limits). */
export function limitOf({ recall, dreaming }: Settings, use: InferenceUse): number {
  const limits: Record<InferenceUse, number> = {
    dreaming: dreaming.maxTokensPerDay,
    recall_summary: recall.maxTokensPerDay,
    reranking: recall.maxTokensPerDay,
  }
  return limits[use]
}
