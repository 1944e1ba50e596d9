import type { Reply } from '../../../../contract/api.js'
import { dayMs } from '../../../../lib/time/time.js'
import { hoursCountedDays, telemetryDays, telemetryEnabled } from '../../../ground/recording/record-event.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { catchUp } from './catch-up.js'
import { Counters } from './counters.js'
import { dreamingStats } from './dreaming.js'
import { embeddingStats, inferenceStats, llmStats, sessionStats } from './models.js'
import { pipelineStats, recallStats } from './pipeline.js'

type Deps = Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock'>

/**
 * `GET /api/telemetry/stats`: sums over events, read from counts by hour (last week) or day, never from the
 * events (telemetry.md 4).
 */
export async function telemetryStats(
  deps: Deps,
  { since }: { since?: string | undefined },
): Promise<Reply<'GET /api/telemetry/stats'>> {
  const { store, telemetry, clock } = deps
  await telemetry.flush()
  await catchUp(deps)
  const { span, from } = periodOf(since, clock().getTime())
  const counters = new Counters()
  for (const { counter, sum } of await store.tables.telemetryCounts.sums(span, from))
    counters.addNamed(counter, sum)
  return {
    enabled: telemetryEnabled(deps),
    countedFrom: span === 'day' ? `${from}T00:00:00.000Z` : `${from}:00:00.000Z`,
    totalEvents: counters.get('events'),
    llm: llmStats(counters),
    embedding: embeddingStats(counters),
    dreaming: dreamingStats(counters),
    sessions: sessionStats(counters),
    inference: inferenceStats(counters),
    recall: recallStats(counters),
    ...pipelineStats(counters),
  }
}

/** The hour or day that contains a time; hourly counts exist for the last week only. */
function periodOf(since: string | undefined, now: number): { span: 'hour' | 'day'; from: string } {
  const oldest = now - telemetryDays * dayMs
  const wanted = Math.max(oldest, since === undefined ? oldest : Date.parse(since))
  const at = new Date(wanted).toISOString()
  const isRecent = wanted > now - (hoursCountedDays - 1) * dayMs
  return isRecent ? { span: 'hour', from: at.slice(0, 13) } : { span: 'day', from: at.slice(0, 10) }
}
