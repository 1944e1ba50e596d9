import { z } from 'zod'

/** Purposes of a language model (inference.md#uses), as named in telemetry, limits and status. */
export const inferenceUses = ['dreaming', 'recall_summary', 'reranking'] as const
export type InferenceUse = (typeof inferenceUses)[number]

export const inferenceProviders = ['none', 'openai', 'anthropic', 'ollama'] as const

const usdPerMillion = z.number().min(0).max(100_000)

/** US dollars per million tokens. */
export const inferenceRates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  /** Price of tokens read from or written to the provider's cache; by default that of `input`. */
  cacheRead: usdPerMillion.optional(),
  cacheWrite: usdPerMillion.optional(),
})

/** Schemas of the fields used from providers' replies; other fields are ignored. */
const tokens = z.int().min(0).max(1_000_000_000)

/** Usage reported by a provider; estimated when it is missing or invalid. */
const openaiUsage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.object({ cached_tokens: tokens.nullish() }).nullish(),
  /** US dollars, reported by routers that resell models. */
  cost: z.number().min(0).max(1_000_000).nullish(),
})

/** `POST /chat/completions`. */
export const openaiReply = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: openaiUsage.nullish().catch(null),
})

const anthropicUsage = z.object({
  /** Excludes tokens read from or written to a cache. */
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens.nullish(),
  cache_creation_input_tokens: tokens.nullish(),
})

/** `POST /v1/messages`. */
export const anthropicReply = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().nullish(), input: z.unknown().optional() })),
  stop_reason: z.string().nullish(),
  usage: anthropicUsage.nullish().catch(null),
})
