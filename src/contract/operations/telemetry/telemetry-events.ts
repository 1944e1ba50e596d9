import { z } from 'zod'
import { inferenceProviders, inferenceUses } from '../../ground/inference.js'

const count = z.int().min(0)
const whole = z.number().min(0)
const known = count.nullable()
/** A fixed word of the code: an error code, a kind of job. */
const word = z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/u)

/** Where numbers of tokens and dollars come from. */
export const coverageWords = [
  'provider_reported',
  'locally_estimated',
  'configured_rate',
  'local_zero_cost',
  'unavailable',
  'mixed',
] as const
export type CoverageWord = (typeof coverageWords)[number]
const coverage = z.enum(coverageWords)

/** Who looks for something. */
export const recallSurfaces = ['explicit_api', 'tool_call', 'prompt_injection', 'dashboard', 'other'] as const
export type RecallSurface = (typeof recallSurfaces)[number]
const surface = z.enum(recallSurfaces)

/** What background work is for. */
export const workloadClasses = [
  'indexing',
  'memory_capture',
  'recall',
  'dreaming',
  'extraction',
  'other',
] as const
export type WorkloadClass = (typeof workloadClasses)[number]

/** How long something took, or waited. */
export const durationBuckets = ['under 1 s', '1-10 s', '10-60 s', '1-10 min', 'over 10 min'] as const
export type DurationBucket = (typeof durationBuckets)[number]
const sizeBuckets = ['0', '1-9', '10-99', '100-999', '1000-9999', '10000 or more'] as const
const lagBuckets = ['under 1 h', '1-24 h', '1-7 d', '7-30 d', 'over 30 d'] as const

const sessionTotals = {
  session: z
    .string()
    .regex(/^[0-9a-f]{16}$/u)
    .nullable(),
  reason: word.nullable(),
  prompts: count,
  durationMs: count,
  tokensInput: count,
  tokensOutput: count,
  tokensCacheRead: known,
  tokensCacheWrite: known,
  cost: whole.nullable(),
  coverage,
}

const cacheCounts = {
  cacheRequests: count,
  cacheHits: count,
  cacheMisses: count,
  cacheUnknown: count,
  cacheWrites: count,
}

const use = z.enum(inferenceUses)

/**
 * Every event there is, with exactly its properties: counts, durations, flags and words of fixed lists (telemetry.md 3).
 * What has no place here is neither recorded nor sent.
 */
export const eventProperties = {
  'recall.attempted': z.strictObject({ surface }),
  'recall.performed': z.strictObject({
    surface,
    type: z.enum(['semantic', 'keyword', 'temporal', 'graph']).nullable(),
    results: count,
    latencyMs: count,
    truncated: z.boolean(),
  }),
  'recall.outcome': z.strictObject({
    surface,
    result: z.enum(['empty', 'non_empty', 'truncated', 'error']),
    delivery: z.enum(['returned', 'injected', 'consumed', 'not_delivered']),
    reason: z.enum(['skipped_low_signal']).optional(),
  }),
  'session.end': z.strictObject(sessionTotals),
  'session.turn': z.strictObject(sessionTotals),
  'source.lifecycle': z.strictObject({
    sourceClass: z.enum(['transcript', 'document', 'repository', 'note_vault', 'browser', 'other']),
    phase: z.enum(['connection', 'indexing', 'readiness', 'first_recall', 'freshness']),
    outcome: z.enum(['complete', 'failed', 'paused']).optional(),
    count: z.enum(sizeBuckets).optional(),
    size: z.enum(sizeBuckets).optional(),
    duration: z.enum(durationBuckets).optional(),
    freshnessLag: z.enum(lagBuckets).optional(),
  }),
  'llm.generate': z.strictObject({
    use,
    outcome: z.enum(['ok', 'error', 'cancelled']),
    inputTokens: known,
    outputTokens: known,
    cacheReadTokens: known,
    cacheWriteTokens: known,
    durationMs: count,
    cost: whole.nullable(),
    tokenCoverage: coverage,
    costCoverage: coverage,
  }),
  'inference.route': z.strictObject({ use }),
  'inference.execute': z.strictObject({
    use,
    outcome: z.enum(['ok', 'error', 'cancelled']),
    reason: word.nullable(),
    requests: count,
    durationMs: count,
  }),
  'inference.fallback': z.strictObject({ use, reason: word }),
  'embedding.generate': z.strictObject({
    source: z.enum(['recall', 'save', 'background']),
    outcome: z.enum(['ok', 'error']),
    calls: count,
    texts: count,
    tokens: count,
    tokenCoverage: coverage,
    cost: whole,
    costCoverage: coverage,
  }),
  'dreaming.pass': z.strictObject({
    mode: z.enum(['shadow', 'controlled-write']),
    reader: z.enum(['deterministic', 'provider']),
    provider: z.enum(inferenceProviders),
    model: z.string().max(80).nullable(),
    workloadClass: z.enum(['memories', 'conversations', 'artifacts', 'mixed', 'reviews']),
    outcome: z.enum(['completed', 'stopped', 'failed']),
    outcomeCode: word.nullable(),
    durationMs: count,
    toolCalls: count,
    tokensInput: count,
    tokensOutput: count,
    tokensCacheRead: known,
    tokensCacheWrite: known,
    tokenCoverage: coverage,
    cost: whole.nullable(),
    coverage,
    ...cacheCounts,
    artifactsConsidered: count,
    memoriesCreated: count,
    memoriesUpdated: count,
    memoriesSuperseded: count,
    memoriesRetired: count,
    claimsChanged: count,
    relationshipsChanged: count,
    provenanceLinksChanged: count,
  }),
  'pipeline.operation': z.strictObject({
    class: z.enum(workloadClasses),
    stage: word,
    outcome: z.enum(['accepted', 'skipped', 'retried', 'failed']),
    cause: word.nullable(),
    operations: count,
    durationMs: count,
    queueAgeMs: count,
    durationBucket: z.enum(durationBuckets),
    queueAgeBucket: z.enum(durationBuckets),
  }),
} as const

export type EventName = keyof typeof eventProperties
export type EventProperties<Name extends EventName> = z.infer<(typeof eventProperties)[Name]>

/** Properties that are recorded on this machine and never sent from it. */
export const keptHere: Partial<Record<EventName, readonly string[]>> = { 'dreaming.pass': ['model'] }

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventProperties, name)
}
