import { sourceKind } from '../../../contract/ground/wire-names.js'
import type { SourceKindName } from '../../../contract/knowledge/sources/source-record.js'
import type {
  DurationBucket,
  EventProperties,
} from '../../../contract/operations/telemetry/telemetry-events.js'
import type { Ground } from '../ground.js'
import { noteEvents } from './record-event.js'

type Properties = EventProperties<'source.lifecycle'>

/** Phases in the life of a source (sources.md#telemetry). */
export type LifecyclePhase = Properties['phase']

export interface LifecycleEvent {
  /** Kind of the source. */
  kind: string
  /** Transcript imports share the kind `import` with files. */
  isTranscripts?: boolean
  phase: LifecyclePhase
  outcome?: 'complete' | 'failed' | 'paused'
  /** Artifacts, passages, duration in ms, and ms since the newest artifact changed. */
  artifacts?: number
  passages?: number
  durationMs?: number
  lagMs?: number
}

type Deps = Pick<Ground, 'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log'>

const classes: Readonly<Record<SourceKindName, Properties['sourceClass']>> = {
  [sourceKind.obsidian]: 'note_vault',
  [sourceKind.discord]: 'other',
  [sourceKind.github]: 'repository',
  import: 'document',
}

const second = 1000
const hour = 3_600_000
const day = 24 * hour
const counts: readonly Bucket<NonNullable<Properties['count']>>[] = [
  [1, '0'],
  [10, '1-9'],
  [100, '10-99'],
  [1000, '100-999'],
  [10_000, '1000-9999'],
]
const durations: readonly Bucket<DurationBucket>[] = [
  [second, 'under 1 s'],
  [10 * second, '1-10 s'],
  [60 * second, '10-60 s'],
  [600 * second, '1-10 min'],
]
const lags: readonly Bucket<NonNullable<Properties['freshnessLag']>>[] = [
  [hour, 'under 1 h'],
  [day, '1-24 h'],
  [7 * day, '1-7 d'],
  [30 * day, '7-30 d'],
]

/** The name of all values below a number. */
type Bucket<Name> = readonly [below: number, name: Name]

/** Records an event in buckets, without names, paths or exact counts. Errors lose only the event. */
export async function noteLifecycle(deps: Deps, event: LifecycleEvent): Promise<void> {
  await noteEvents(deps, [{ event: 'source.lifecycle', properties: lifecycleProperties(event) }])
}

/** The event's properties: a class, a phase and buckets. */
export function lifecycleProperties({
  kind,
  isTranscripts,
  phase,
  outcome,
  artifacts,
  passages,
  durationMs,
  lagMs,
}: LifecycleEvent): Properties {
  return {
    sourceClass: isTranscripts ? 'transcript' : (classes[kind as SourceKindName] ?? 'other'),
    phase,
    ...(outcome && { outcome }),
    ...(artifacts !== undefined && { count: bucketOf(artifacts, counts, '10000 or more') }),
    ...(passages !== undefined && { size: bucketOf(passages, counts, '10000 or more') }),
    ...(durationMs !== undefined && { duration: durationBucket(durationMs) }),
    ...(lagMs !== undefined && { freshnessLag: bucketOf(lagMs, lags, 'over 30 d') }),
  }
}

/** The bucket of a duration. */
export function durationBucket(ms: number): DurationBucket {
  return bucketOf(ms, durations, 'over 10 min')
}

function bucketOf<Name>(value: number, buckets: readonly Bucket<Name>[], above: Name): Name {
  return buckets.find(([below]) => value < below)?.[1] ?? above
}
