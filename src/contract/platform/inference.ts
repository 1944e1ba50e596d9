import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { inferenceProviders, inferenceRates, inferenceUses } from '../ground/inference.js'

/** Usage of the language model for one purpose, today (UTC). */
const usageToday = z.object({
  /** Calls, including failed ones. */
  calls: z.int(),
  failures: z.int(),
  /** As counted by the provider, or estimated. */
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** Tokens counted against the daily limit, including estimates for missing replies. */
  countedTokens: z.int(),
  /** US dollars, from the configured rates or the provider; null where a cost is unknown. */
  cost: z.number().nullable(),
})
export type InferenceUsageToday = z.infer<typeof usageToday>

export const inferenceStates = ['off', 'incomplete', 'ready', 'failing'] as const

export const inferenceStatus = endpoint({
  method: 'GET',
  path: '/api/inference/status',
  summary: "Get the language model, its permitted uses, its state and today's cost",
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    provider: z.enum(inferenceProviders),
    model: z.string().nullable(),
    /** Origin of its address; null without a provider. */
    address: z.string().nullable(),
    /** `incomplete`: settings are missing; `failing`: calls are suspended for a while. */
    state: z.enum(inferenceStates),
    available: z.boolean(),
    /** Reason why it is not called, or the last failure. */
    error: z.string().optional(),
    /** Time of the last reply or failure; null before the first call since the start. */
    checkedAt: z.string().nullable(),
    /** `unknown`: the key is in a password manager, which a status does not query. */
    key: z.enum(['none', 'set', 'missing', 'unknown']),
    maxConcurrent: z.int(),
    inFlight: z.int(),
    waiting: z.int(),
    breaker: z.object({ state: z.enum(['closed', 'open', 'half-open']), remainingMs: z.number() }),
    /** US dollars per million tokens; null when not configured. */
    rates: inferenceRates.nullable(),
    /** Purposes with their settings. */
    uses: z.array(
      z.object({
        use: z.enum(inferenceUses),
        enabled: z.boolean(),
        maxTokensPerDay: z.int(),
        today: usageToday,
      }),
    ),
  }),
})
export type InferenceStatus = z.infer<typeof inferenceStatus.response>
