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

/** What of the replies of language models is read; everything else in them is passed over. */
const tokens = z.int().min(0).max(1_000_000_000)

/** What a provider says it counted; one that says nothing, or nonsense, is estimated. */
const openaiUsage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.object({ cached_tokens: tokens.nullish() }).nullish(),
  /** US dollars, by routers that sell the models of others. */
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

export type OpenaiReply = z.infer<typeof openaiReply>

const anthropicUsage = z.object({
  /** Without what was read from or written to a cache. */
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

export type AnthropicReply = z.infer<typeof anthropicReply>
