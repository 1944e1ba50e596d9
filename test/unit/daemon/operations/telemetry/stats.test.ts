import test from 'ava'
import type {
  EventName,
  EventProperties,
} from '../../../../../src/contract/operations/telemetry/telemetry-events.js'
import { countEvent } from '../../../../../src/daemon/operations/telemetry/stats/catch-up.js'
import { Counters } from '../../../../../src/daemon/operations/telemetry/stats/counters.js'
import { dreamingStats } from '../../../../../src/daemon/operations/telemetry/stats/dreaming.js'
import {
  embeddingStats,
  inferenceStats,
  llmStats,
  sessionStats,
} from '../../../../../src/daemon/operations/telemetry/stats/models.js'
import { pipelineStats, recallStats } from '../../../../../src/daemon/operations/telemetry/stats/pipeline.js'

type RecordedEvent = { [N in EventName]: [event: N, properties: EventProperties<N>] }[EventName]

function countersOf(...events: readonly RecordedEvent[]): Counters {
  const counters = new Counters()
  for (const [event, properties] of events) countEvent(counters, event, JSON.stringify(properties))
  return counters
}

const request = {
  use: 'dreaming',
  outcome: 'ok',
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  durationMs: 100,
  cost: 0.25,
  tokenCoverage: 'provider_reported',
  costCoverage: 'configured_rate',
} as const

const pass = {
  mode: 'controlled-write',
  reader: 'provider',
  provider: 'openai',
  model: 'gpt-x',
  workloadClass: 'memories',
  outcome: 'completed',
  outcomeCode: null,
  durationMs: 10,
  toolCalls: 3,
  tokensInput: 300,
  tokensOutput: 30,
  tokensCacheRead: 200,
  tokensCacheWrite: 50,
  tokenCoverage: 'provider_reported',
  cost: 0.5,
  coverage: 'configured_rate',
  cacheRequests: 3,
  cacheHits: 1,
  cacheMisses: 1,
  cacheUnknown: 1,
  cacheWrites: 1,
  artifactsConsidered: 4,
  memoriesCreated: 0,
  memoriesUpdated: 0,
  memoriesSuperseded: 1,
  memoriesRetired: 0,
  claimsChanged: 2,
  relationshipsChanged: 1,
  provenanceLinksChanged: 3,
} as const

const recalled = { surface: 'explicit_api', results: 1, latencyMs: 20, truncated: false } as const

test('model requests are summed, with the origin of their numbers (telemetry.md 4)', t => {
  const failed = { ...request, outcome: 'error', inputTokens: null, outputTokens: null, cost: null } as const
  const counters = countersOf(
    ['llm.generate', request],
    ['llm.generate', { ...request, durationMs: 1000, costCoverage: 'provider_reported' }],
    ['llm.generate', { ...failed, tokenCoverage: 'unavailable', costCoverage: 'unavailable' }],
  )
  const { coverage, ...llm } = llmStats(counters)
  t.deepEqual(llm, {
    calls: 3,
    errors: 1,
    totalInputTokens: 200,
    totalOutputTokens: 40,
    totalCost: 0.5,
    p50: 100,
    p95: 1000,
  })
  t.deepEqual(coverage.provider_reported, { calls: 1, tokens: 240, cost: 0.25 })
  t.deepEqual(coverage.configured_rate, { calls: 1, tokens: 0, cost: 0.25 })
  t.deepEqual(coverage.unavailable, { calls: 1, tokens: 0, cost: 0 })
  t.deepEqual(coverage.mixed, { calls: 0, tokens: 0, cost: 0 })
})

test('questions count routes, outcomes and fallbacks, but no streams (telemetry.md 4)', t => {
  const asked = { use: 'reranking', outcome: 'ok', reason: null, requests: 1, durationMs: 50 } as const
  const counters = countersOf(
    ['inference.route', { use: 'reranking' }],
    ['inference.execute', asked],
    ['inference.execute', { ...asked, outcome: 'cancelled' }],
    ['inference.execute', { ...asked, outcome: 'error', reason: 'late' }],
    ['inference.fallback', { use: 'reranking', reason: 'late' }],
  )
  const counts = { routes: 1, executes: 3, streams: 0, errors: 1, cancelled: 1, fallbacks: 1 }
  t.deepEqual(inferenceStats(counters), { ...counts, p50: 50, p95: 50 })
})

test('vectors are counted by purpose, sessions by cost (telemetry.md 4)', t => {
  const embedded = {
    source: 'recall',
    outcome: 'ok',
    calls: 2,
    texts: 2,
    tokens: 9,
    tokenCoverage: 'locally_estimated',
    cost: 0,
    costCoverage: 'local_zero_cost',
  } as const
  const ended = {
    session: '0123456789abcdef',
    reason: 'clear',
    prompts: 2,
    durationMs: 5,
    tokensInput: 10,
    tokensOutput: 2,
    tokensCacheRead: null,
    tokensCacheWrite: 4,
    cost: 0.125,
    coverage: 'mixed',
  } as const
  const counters = countersOf(
    ['embedding.generate', embedded],
    ['embedding.generate', { ...embedded, source: 'background', calls: 1, tokens: 100 }],
    ['session.end', ended],
    ['session.turn', ended],
  )
  const embedding = embeddingStats(counters)
  t.like(embedding, { calls: 3, totalTokens: 109, cost: 0 })
  t.deepEqual(embedding.bySource, [
    { source: 'background', tokens: 100, cost: 0 },
    { source: 'recall', tokens: 9, cost: 0 },
  ])
  t.deepEqual(embedding.coverage.local_zero_cost, { calls: 3, tokens: 0, cost: 0 })
  t.deepEqual(embedding.coverage.locally_estimated, { calls: 0, tokens: 109, cost: 0 })
  const sessions = sessionStats(counters)
  t.like(sessions, { ended: 1, tokensInput: 10, tokensOutput: 2, tokensCacheRead: 0, tokensCacheWrite: 4 })
  t.deepEqual(sessions.coverage.mixed, { calls: 1, tokens: 12, cost: 0.125 })
})

test('passes are summed, and unknown cache results are left out of the rate (telemetry.md 4)', t => {
  const unknown = { cacheRequests: 2, cacheHits: 0, cacheMisses: 0, cacheUnknown: 2, cacheWrites: 0 }
  const counters = countersOf(
    ['dreaming.pass', pass],
    ['dreaming.pass', { ...pass, ...unknown, model: 'gpt-y', outcome: 'failed', outcomeCode: 'error' }],
    [
      'dreaming.pass',
      { ...pass, ...unknown, cacheRequests: 0, cacheUnknown: 0, provider: 'none', mode: 'shadow' },
    ],
  )
  const { cacheAccounting, ...dreaming } = dreamingStats(counters)
  t.like(dreaming, { calls: 3, tokensInput: 900, tokensCacheRead: 600, cost: 1.5, claimsChanged: 6 })
  t.deepEqual(dreaming.outcomes, [
    { outcome: 'completed', calls: 2 },
    { outcome: 'failed', calls: 1 },
  ])
  t.deepEqual(dreaming.outcomeCodes, [{ code: 'error', calls: 1 }])
  t.deepEqual(
    dreaming.byMode.map(({ mode, calls }) => [mode, calls]),
    [
      ['controlled-write', 2],
      ['shadow', 1],
    ],
  )
  t.like(cacheAccounting, { cacheRequests: 5, cacheHits: 1, cacheMisses: 1, cacheUnknown: 3, hitRate: 0.5 })
  t.like(cacheAccounting, { cacheAccountingAvailablePasses: 1, cacheAccountingUnavailablePasses: 1 })
  t.deepEqual(
    cacheAccounting.byModel.map(({ model, hitRate }) => [model, hitRate]),
    [
      ['gpt-x', 0.5],
      ['gpt-y', null],
    ],
  )
  t.deepEqual(
    cacheAccounting.byProvider.map(({ provider }) => provider),
    ['openai'],
  )
  t.deepEqual(
    cacheAccounting.byWorkloadClass.map(({ workloadClass }) => workloadClass),
    ['memories'],
  )
})

test('recalls are counted by caller, method and speed (telemetry.md 4)', t => {
  const outcome = { surface: 'explicit_api', result: 'non_empty', delivery: 'returned' } as const
  const counters = countersOf(
    ['recall.attempted', { surface: 'explicit_api' }],
    ['recall.performed', { ...recalled, type: 'graph' }],
    ['recall.outcome', outcome],
    ['recall.outcome', { ...outcome, delivery: 'consumed' }],
    ['recall.attempted', { surface: 'prompt_injection' }],
    ['recall.outcome', { ...outcome, surface: 'prompt_injection', delivery: 'injected' }],
    ['recall.performed', { ...recalled, type: null }],
  )
  const recall = recallStats(counters)
  t.like(recall, { calls: 2, p50: 20, p95: 20 })
  t.like(recall.outcomes, { attempted: 2, returned: 1, delivered: 2 })
  t.deepEqual(recall.outcomes.bySurface, [
    { surface: 'explicit_api', attempted: 1, returned: 1, delivered: 1 },
    { surface: 'prompt_injection', attempted: 1, returned: 0, delivered: 1 },
  ])
  t.deepEqual(recall.byType, [
    { type: 'graph', calls: 1 },
    { type: 'none', calls: 1 },
  ])
})

test('background work is counted by class, failures as incidents, retries not (telemetry.md 4)', t => {
  const job = {
    class: 'extraction',
    stage: 'document_ingest',
    outcome: 'accepted',
    cause: null,
    operations: 2,
    durationMs: 30,
    queueAgeMs: 5,
    durationBucket: 'under 1 s',
    queueAgeBucket: 'under 1 s',
  } as const
  const read = { sourceClass: 'note_vault', phase: 'indexing', duration: '1-10 s' } as const
  const counters = countersOf(
    ['pipeline.operation', job],
    ['pipeline.operation', { ...job, outcome: 'retried', cause: 'outage', operations: 1 }],
    ['pipeline.operation', { ...job, outcome: 'failed', cause: 'storage', operations: 1 }],
    ['source.lifecycle', { ...read, outcome: 'failed' }],
    ['source.lifecycle', { ...read, phase: 'readiness', outcome: 'complete' }],
    ['recall.outcome', { surface: 'tool_call', result: 'error', delivery: 'not_delivered' }],
    [
      'recall.outcome',
      {
        surface: 'prompt_injection',
        result: 'empty',
        delivery: 'not_delivered',
        reason: 'skipped_low_signal',
      },
    ],
    ['recall.performed', { ...recalled, type: 'keyword' }],
  )
  const stats = pipelineStats(counters)
  const { extraction, indexing, recall, dreaming } = stats.pipelineOperations.classes
  t.like(extraction, { operations: 3, accepted: 2, retried: 1, failed: 1, skipped: 0, durationMs: 90 })
  t.deepEqual(extraction?.causes, { outage: 1, storage: 1 })
  t.is(extraction?.durationBuckets['under 1 s'], 4)
  t.like(indexing, { operations: 1, failed: 1 })
  t.is(indexing?.durationBuckets['1-10 s'], 1)
  t.like(recall, { operations: 2, failed: 1, skipped: 1, durationMs: 20 })
  t.is(dreaming?.operations, 0)
  t.is(stats.pipelineErrors, 3)
  t.deepEqual(stats.pipelineErrorsByStage, { document_ingest: 1, recall: 1, source_reading: 1 })
  t.deepEqual(stats.pipelineErrorsByCode, { error: 1, failed: 1, storage: 1 })
  t.is(stats.pipelineOperations.incidents, 3)
  t.is(stats.pipelineOperations.total, 6)
})

test('an event of another release counts as one event only (telemetry.md 4)', t => {
  const counters = new Counters()
  countEvent(counters, 'recall.attempted', '{"surface":"elsewhere"}')
  countEvent(counters, 'unknown.event', '{}')
  t.deepEqual([...counters.entries()], [['events', 2]])
})
