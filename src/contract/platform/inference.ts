import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { inferenceProviders, inferenceRates, inferenceUses } from '../ground/inference.js'

/** Of what was asked of a language model for one use, today (UTC). */
const spent = z.object({
  /** Questions, with those that failed. */
  calls: z.int(),
  failures: z.int(),
  /** As the provider counted them, or estimated where it did not. */
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** What the limit of the day has counted, with estimates for answers that never came. */
  countedTokens: z.int(),
  /** US dollars by the rates of the settings or the provider's own word; null where a cost is not known. */
  cost: z.number().nullable(),
})
export type SpentToday = z.infer<typeof spent>

export const inferenceStates = ['off', 'incomplete', 'ready', 'failing'] as const

export const inferenceStatus = endpoint({
  method: 'GET',
  path: '/api/inference/status',
  summary: 'Which language model may be asked, what for, how it does and what it cost today',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    provider: z.enum(inferenceProviders),
    model: z.string().nullable(),
    /** Where it is asked, without a path; null where no provider is set. */
    address: z.string().nullable(),
    /** `incomplete`: the settings do not say enough; `failing`: it is not asked for a while. */
    state: z.enum(inferenceStates),
    available: z.boolean(),
    /** Why it is not asked, or what failed last. */
    error: z.string().optional(),
    /** When it last answered or failed; null before the first question since the start. */
    checkedAt: z.string().nullable(),
    /** `unknown`: a password manager holds it, which is not asked for a status. */
    key: z.enum(['none', 'set', 'missing', 'unknown']),
    maxConcurrent: z.int(),
    inFlight: z.int(),
    waiting: z.int(),
    breaker: z.object({ state: z.enum(['closed', 'open', 'half-open']), remainingMs: z.number() }),
    /** US dollars for a million tokens; null where none are set. */
    rates: inferenceRates.nullable(),
    /** What the settings let it be asked for. */
    uses: z.array(
      z.object({
        use: z.enum(inferenceUses),
        enabled: z.boolean(),
        maxTokensPerDay: z.int(),
        today: spent,
      }),
    ),
  }),
})
export type InferenceStatus = z.infer<typeof inferenceStatus.response>
