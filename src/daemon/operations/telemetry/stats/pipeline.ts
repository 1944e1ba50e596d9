import {
  type DurationBucket,
  durationBuckets,
  type EventProperties,
  recallSurfaces,
  type WorkloadClass,
  workloadClasses,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { TelemetryStats } from '../../../../contract/operations/telemetry/telemetry-stats.js'
import { durationBucket } from '../../../ground/recording/source-lifecycle.js'
import { addDuration, type Counters, percentile } from './counters.js'

interface Operations {
  class: WorkloadClass
  stage: string
  outcome: EventProperties<'pipeline.operation'>['outcome']
  cause: string | null
  operations: number
  durationMs: number
  queueAgeMs: number
  durationBucket?: DurationBucket | undefined
  queueAgeBucket?: DurationBucket | undefined
}

/**
 * Counts operations of one kind with the same outcome. One that will be retried has not ended and is not
 * counted.
 */
export function countOperations(counters: Counters, told: Operations): void {
  const { class: of, stage, outcome, cause, operations } = told
  const add = (words: readonly string[], by: number = operations): void =>
    counters.add(['pipeline', of, ...words], by)
  add([outcome])
  add(['outcome', outcome])
  if (cause !== null) add(['cause', cause])
  add(['durationMs'], told.durationMs)
  add(['queueAgeMs'], told.queueAgeMs)
  if (told.durationBucket) add(['duration', told.durationBucket])
  if (told.queueAgeBucket) add(['queueAge', told.queueAgeBucket])
  if (outcome !== 'failed') return
  counters.add(['errors', 'stage', stage], operations)
  counters.add(['errors', 'code', cause ?? 'error'], operations)
}

/** A recall is one operation, whatever it searched. */
export function countRecallOperation(counters: Counters, told: EventProperties<'recall.outcome'>): void {
  // Using a result is not another recall.
  if (told.delivery === 'consumed') return
  const isFailed = told.result === 'error'
  countOperations(counters, {
    class: 'recall',
    stage: 'recall',
    outcome: isFailed ? 'failed' : told.reason === undefined ? 'accepted' : 'skipped',
    cause: isFailed ? 'error' : (told.reason ?? null),
    operations: 1,
    durationMs: 0,
    queueAgeMs: 0,
  })
}

/** A recall has no queue time; its duration and its outcome come in separate events. */
export function countRecallTime(
  counters: Counters,
  { latencyMs }: EventProperties<'recall.performed'>,
): void {
  counters.add(['pipeline', 'recall', 'durationMs'], latencyMs)
  counters.add(['pipeline', 'recall', 'duration', durationBucket(latencyMs)])
}

/** Indexing a source is one operation, however many files it has. */
export function countIndexing(counters: Counters, told: EventProperties<'source.lifecycle'>): void {
  if (told.phase !== 'indexing' || !told.outcome) return
  const outcomes = { complete: 'accepted', failed: 'failed', paused: 'skipped' } as const
  countOperations(counters, {
    class: 'indexing',
    stage: 'source_reading',
    outcome: outcomes[told.outcome],
    cause: told.outcome === 'complete' ? null : told.outcome,
    operations: 1,
    durationMs: 0,
    queueAgeMs: 0,
    durationBucket: told.duration,
  })
}

export function pipelineStats(
  counters: Counters,
): Pick<
  TelemetryStats,
  'pipelineErrors' | 'pipelineErrorsByStage' | 'pipelineErrorsByCode' | 'pipelineOperations'
> {
  const byStage = counters.record('errors', 'stage')
  const classes = workloadClasses.map(name => [name, operationsOf(counters, name)] as const)
  const sum = (what: 'operations' | 'failed'): number =>
    classes.reduce((all, [, summary]) => all + summary[what], 0)
  return {
    pipelineErrors: Object.values(byStage).reduce((all, count) => all + count, 0),
    pipelineErrorsByStage: byStage,
    pipelineErrorsByCode: counters.record('errors', 'code'),
    pipelineOperations: {
      total: sum('operations'),
      incidents: sum('failed'),
      classes: Object.fromEntries(classes) as TelemetryStats['pipelineOperations']['classes'],
    },
  }
}

function operationsOf(
  counters: Counters,
  name: WorkloadClass,
): TelemetryStats['pipelineOperations']['classes'][WorkloadClass] {
  const count = (what: string): number => counters.get('pipeline', name, what)
  const buckets = (what: string) =>
    Object.fromEntries(
      durationBuckets.map(bucket => [bucket, counters.get('pipeline', name, what, bucket)]),
    ) as Record<DurationBucket, number>
  const accepted = count('accepted')
  const skipped = count('skipped')
  const failed = count('failed')
  return {
    operations: accepted + skipped + failed,
    accepted,
    skipped,
    retried: count('retried'),
    failed,
    durationMs: count('durationMs'),
    queueAgeMs: count('queueAgeMs'),
    outcomes: counters.record('pipeline', name, 'outcome'),
    causes: counters.record('pipeline', name, 'cause'),
    durationBuckets: buckets('duration'),
    queueAgeBuckets: buckets('queueAge'),
  }
}

export function countAttempt(counters: Counters, { surface }: EventProperties<'recall.attempted'>): void {
  counters.add(['recall', 'surface', surface, 'attempted'])
}

export function countPerformed(counters: Counters, told: EventProperties<'recall.performed'>): void {
  counters.add(['recall', 'calls'])
  counters.add(['recall', 'type', told.type ?? 'none'])
  addDuration(counters, ['recall'], told.latencyMs)
}

export function countOutcome(counters: Counters, told: EventProperties<'recall.outcome'>): void {
  const { surface, delivery } = told
  if (delivery === 'returned') counters.add(['recall', 'surface', surface, 'returned'])
  if (delivery === 'injected' || delivery === 'consumed')
    counters.add(['recall', 'surface', surface, 'delivered'])
}

/** `returned`: results answered to the caller. `delivered`: results injected or used. */
export function recallStats(counters: Counters): TelemetryStats['recall'] {
  const bySurface = recallSurfaces
    .map(surface => ({
      surface,
      attempted: counters.get('recall', 'surface', surface, 'attempted'),
      returned: counters.get('recall', 'surface', surface, 'returned'),
      delivered: counters.get('recall', 'surface', surface, 'delivered'),
    }))
    .filter(({ attempted, returned, delivered }) => attempted + returned + delivered > 0)
  const all = (what: 'attempted' | 'returned' | 'delivered'): number =>
    bySurface.reduce((sum, surface) => sum + surface[what], 0)
  return {
    calls: counters.get('recall', 'calls'),
    outcomes: {
      attempted: all('attempted'),
      returned: all('returned'),
      delivered: all('delivered'),
      bySurface,
    },
    p50: percentile(counters, ['recall'], 50),
    p95: percentile(counters, ['recall'], 95),
    byType: Object.entries(counters.record('recall', 'type')).map(([type, calls]) => ({ type, calls })),
  }
}
