import {
  type EventProperties,
  recallSurfaces,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { TelemetryStats } from '../../../../contract/operations/telemetry/telemetry-stats.js'
import { addDuration, type Counters, percentile } from './counters.js'

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
