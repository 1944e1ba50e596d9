import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, statusWords } from '../ground/fields.js'
import { pipelineModes } from '../ground/wire-names.js'

const outcomes = ['running', 'completed', 'stopped', 'failed', 'interrupted'] as const

const pass = z.object({
  id: z.string(),
  jobId: z.string(),
  /** The pipeline's mode at the start. */
  mode: z.string(),
  /** `deterministic`, or provider and model. */
  reader: z.string(),
  outcome: z.enum(outcomes),
  /** The reason code of an early end. */
  outcomeCode: z.string().nullable(),
  /** Texts read, and results of operations and attentions, by name. */
  counts: z.record(z.string(), z.int()),
  /** Model calls and their tokens. */
  calls: z.int(),
  tokensInput: z.int(),
  tokensOutput: z.int(),
  /** USD; null when a rate is unknown. */
  cost: z.number().nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
})
export type DreamPass = z.infer<typeof pass>

export const dreamStatus = endpoint({
  method: 'GET',
  path: '/api/dream/status',
  summary: 'Get the state of Dreaming: mode, passes, queue and budget',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    /** Mode of the pipeline; only the first two modes read anything. */
    mode: z.enum(pipelineModes),
    enabled: z.boolean(),
    schedule: z.enum(['hourly', 'daily', 'on-demand']),
    reader: z.string(),
    running: z.boolean(),
    /** Job of the running or queued pass. */
    jobId: z.string().nullable(),
    /** Newest first, at most ten. */
    passes: z.array(pass),
    /** Waiting attentions by kind. */
    queue: z.record(z.string(), z.int()),
    /** In tokens; the day begins at midnight UTC. */
    budget: z.object({ perPass: z.int(), perDay: z.int(), spentToday: z.int(), leftToday: z.int() }),
    lastAt: z.string().nullable(),
    /** Time of the next scheduled pass; null without a schedule. */
    nextAt: z.string().nullable(),
  }),
})

const triggerOutcomes = {
  queued: [202, 'a pass is queued or running'],
  disabled: [
    409,
    'Dreaming is off: memory config set dreaming.enabled true, and memory.pipelineV2.enabled true',
  ],
  paused: [409, 'Dreaming is paused: memory pipeline resume'],
} as const

export const triggerDream = endpoint({
  method: 'POST',
  path: '/api/dream/trigger',
  summary: 'Start a Dreaming pass over new conversations, or return the queued or running one',
  permission: 'admin',
  mutates: true,
  bucket: 'admin',
  success: 202,
  response: z.object({ status: statusWords(triggerOutcomes), jobId: z.string().optional() }),
  outcomes: triggerOutcomes,
})

/** Fields of every finding. Reasons come first, because a model writes fields in order. */
const said = {
  reasoning: z.string().max(4000),
  /** Number of the source text. */
  text: z.int().min(1),
  /** A verbatim quote. */
  quote: z.string().min(1).max(1000),
}
const sure = { confidence: z.number().min(0).max(1) }
/** `2026-01-31`, if the text contains the date. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .nullable()

/** A finding in a text: one of the ontology operations allowed for a reader (knowledge.md#operations). */
const finding = z.discriminatedUnion('operation', [
  z.object({ ...said, operation: z.literal('create_entity'), name, type: name, ...sure }),
  z.object({ ...said, operation: z.literal('add_alias'), entity: name, alias: name, ...sure }),
  z.object({
    ...said,
    operation: z.literal('assert_claim'),
    entity: name,
    aspect: name,
    claim: name,
    value: z.string().min(1).max(1000),
    validFrom: day,
    validUntil: day,
    ...sure,
  }),
  z.object({ ...said, operation: z.literal('link'), from: name, relation: name, to: name, ...sure }),
  /** The text replaces an older one. */
  z.object({ ...said, operation: z.literal('supersede_memory'), olderText: z.int().min(1), ...sure }),
])
export type Finding = z.infer<typeof finding>

/** A model's reply with findings in texts. Invalid findings are dropped one by one. */
export const modelReading = z.object({
  findings: z.array(finding.catch(() => null as never)).max(200),
})
export type ModelReading = { findings: (Finding | null)[] }
