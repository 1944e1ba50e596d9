import { z } from 'zod'

/** What a language model may be asked for (inference.md#uses). Words of telemetry, limits and the status. */
export const inferenceUses = ['dreaming', 'recall_summary', 'reranking'] as const
export type InferenceUse = (typeof inferenceUses)[number]

export const inferenceProviders = ['none', 'openai', 'anthropic', 'ollama'] as const
export type InferenceProvider = (typeof inferenceProviders)[number]

const usdPerMillion = z.number().min(0).max(100_000)

/** US dollars for a million tokens. */
export const inferenceRates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  /** Of tokens that a cache of the provider held or took; those of `input` where it is not given. */
  cacheRead: usdPerMillion.optional(),
  cacheWrite: usdPerMillion.optional(),
})
