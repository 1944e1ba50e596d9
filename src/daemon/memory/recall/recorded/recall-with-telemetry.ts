import type { RecallBody, RecallReply, SearchParameters } from '../../../../contract/memory/memory.js'
import type {
  EventProperties,
  RecallSurface,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { recall } from '../recall.js'
import { type RecordDeps, recordRecall } from './record-recall.js'

export type RecallWithTelemetryDeps = Parameters<typeof recall>[0] &
  RecordDeps &
  Pick<Daemon, 'telemetry' | 'requestCounts'>

interface RecallOrigin {
  /** Path of the request. */
  route: string
  surface?: RecallSurface
}

/** A recall with telemetry events of its surface, outcome and duration (telemetry.md 3). */
export async function recallWithTelemetry(
  deps: RecallWithTelemetryDeps,
  caller: Caller,
  body: SearchParameters,
  { route, surface = surfaceOf(caller) }: RecallOrigin,
): Promise<RecallReply> {
  const { telemetry, requestCounts, clock } = deps
  const started = performance.now()
  telemetry.note({ event: 'recall.attempted', properties: { surface } })
  try {
    const run = await recall(deps, caller, body)
    const { reply } = run
    const { count: results } = reply
    const truncated = results >= body.limit
    const durationMs = performance.now() - started
    telemetry.note({
      event: 'recall.performed',
      properties: {
        surface,
        type: typeOf(body, reply),
        results,
        latencyMs: Math.round(durationMs),
        truncated,
      },
    })
    requestCounts.daily.note({ recalls: 1, found: results === 0 ? 0 : 1, recallMs: durationMs }, clock())
    const result = results === 0 ? 'empty' : truncated ? 'truncated' : 'non_empty'
    telemetry.note({ event: 'recall.outcome', properties: { surface, result, delivery: 'returned' } })
    recordRecall(deps, caller, body, run, { route, durationMs })
    return reply
  } catch (error) {
    telemetry.note({
      event: 'recall.outcome',
      properties: { surface, result: 'error', delivery: 'not_delivered' },
    })
    throw error
  }
}

/** The kind of caller. */
export function surfaceOf({ surface, actorType }: Pick<Caller, 'surface' | 'actorType'>): RecallSurface {
  if (surface) return surface
  if (actorType === 'pipeline') return 'other'
  return actorType === 'agent' ? 'tool_call' : 'explicit_api'
}

/** Channels based on facts about entities. */
const graphChannels = ['graph', 'claims', 'traversal', 'claims+traversal']

/** Null when nothing could be searched; `graph` when only graph channels found the results. */
function typeOf(
  { time }: RecallBody,
  { method, results }: RecallReply,
): EventProperties<'recall.performed'>['type'] {
  if (method === 'none') return null
  if (time) return 'temporal'
  const ranked = results.filter(({ supplementary }) => !supplementary)
  if (ranked.length > 0 && ranked.every(({ source }) => graphChannels.includes(source))) return 'graph'
  return method === 'keyword' ? 'keyword' : 'semantic'
}
