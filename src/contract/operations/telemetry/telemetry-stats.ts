import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { timestamp } from '../../ground/fields.js'
import { coverageWords, durationBuckets, recallSurfaces, workloadClasses } from './telemetry-events.js'

const count = z.number()
const ms = z.number().nullable()
const usd = z.number()
const counts = z.record(z.string(), z.number())

/**
 * Totals by origin of the numbers: calls and costs by the origin of the price, tokens by the origin of the
 * count.
 */
const coverage = z.record(z.enum(coverageWords), z.object({ calls: count, tokens: count, cost: usd }))

const cacheAccounting = z.object({
  cacheRequests: count,
  cacheHits: count,
  cacheMisses: count,
  cacheUnknown: count,
  cacheWrites: count,
  cacheAccountingAvailablePasses: count,
  cacheAccountingUnavailablePasses: count,
  /** Hits divided by hits and misses; null while both are unknown. */
  hitRate: z.number().nullable(),
})
export type CacheAccounting = z.infer<typeof cacheAccounting>

const tokens = {
  tokensInput: count,
  tokensOutput: count,
  tokensCacheRead: count,
  tokensCacheWrite: count,
}

const deliveries = { attempted: count, returned: count, delivered: count }

const buckets = z.record(z.enum(durationBuckets), z.number())
const operations = z.object({
  operations: count,
  accepted: count,
  skipped: count,
  retried: count,
  failed: count,
  durationMs: count,
  queueAgeMs: count,
  outcomes: counts,
  causes: counts,
  durationBuckets: buckets,
  queueAgeBuckets: buckets,
})

const dreaming = z.object({
  calls: count,
  ...tokens,
  cacheAccounting: cacheAccounting.extend({
    byProvider: z.array(cacheAccounting.extend({ provider: z.string() })),
    byModel: z.array(cacheAccounting.extend({ model: z.string() })),
    byWorkloadClass: z.array(cacheAccounting.extend({ workloadClass: z.string() })),
  }),
  cost: usd,
  artifactsConsidered: count,
  memoriesCreated: count,
  memoriesUpdated: count,
  memoriesSuperseded: count,
  memoriesRetired: count,
  claimsChanged: count,
  relationshipsChanged: count,
  provenanceLinksChanged: count,
  toolCalls: count,
  durationMs: count,
  outcomes: z.array(z.object({ outcome: z.string(), calls: count })),
  outcomeCodes: z.array(z.object({ code: z.string(), calls: count })),
  byMode: z.array(z.object({ mode: z.string(), calls: count, tokens: count, cost: usd })),
  coverage,
})

const stats = z.object({
  enabled: z.boolean(),
  /** Start of counting: the hour of `since` within the last week, its day before that. */
  countedFrom: z.string(),
  totalEvents: count,
  llm: z.object({
    calls: count,
    errors: count,
    totalInputTokens: count,
    totalOutputTokens: count,
    totalCost: usd,
    p50: ms,
    p95: ms,
    coverage,
  }),
  embedding: z.object({
    calls: count,
    totalTokens: count,
    cost: usd,
    bySource: z.array(z.object({ source: z.string(), tokens: count, cost: usd })),
    coverage,
  }),
  dreaming,
  sessions: z.object({ ended: count, ...tokens, cost: usd, coverage }),
  inference: z.object({
    routes: count,
    executes: count,
    streams: count,
    errors: count,
    cancelled: count,
    fallbacks: count,
    p50: ms,
    p95: ms,
  }),
  recall: z.object({
    calls: count,
    outcomes: z.object({
      ...deliveries,
      bySurface: z.array(z.object({ surface: z.enum(recallSurfaces), ...deliveries })),
    }),
    p50: ms,
    p95: ms,
    byType: z.array(z.object({ type: z.string(), calls: count })),
  }),
  pipelineErrors: count,
  pipelineErrorsByStage: counts,
  pipelineErrorsByCode: counts,
  pipelineOperations: z.object({
    total: count,
    incidents: count,
    classes: z.record(z.enum(workloadClasses), operations),
  }),
})
export type TelemetryStats = z.infer<typeof stats>

export const telemetryStats = endpoint({
  method: 'GET',
  path: '/api/telemetry/stats',
  summary: 'Get totals of events: models, embedding, Dreaming, sessions, recalls and background work',
  permission: 'analytics',
  mutates: false,
  query: z.object({ since: timestamp.optional() }),
  response: stats,
})
