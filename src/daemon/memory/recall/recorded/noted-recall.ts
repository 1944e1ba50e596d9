import type { RecallBody, RecallReply } from '../../../../contract/memory/memory.js'
import type {
  EventProperties,
  RecallSurface,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { recall } from '../recall.js'
import { type RecordDeps, recordRecall } from './record-recall.js'

export type NotedRecallDeps = Parameters<typeof recall>[0] & RecordDeps & Pick<Daemon, 'telemetry'>

interface RecallOrigin {
  /** The path that was asked. */
  route: string
  surface?: RecallSurface
}

/** A recall with its events: who asked in general, how it went and how long it took (telemetry.md 3). */
export async function notedRecall(
  deps: NotedRecallDeps,
  caller: Caller,
  body: RecallBody,
  { route, surface = surfaceOf(caller) }: RecallOrigin,
): Promise<RecallReply> {
  const { telemetry } = deps
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

/** Who looks for something, in general. */
export function surfaceOf({ surface, actorType }: Pick<Caller, 'surface' | 'actorType'>): RecallSurface {
  if (surface) return surface
  if (actorType === 'pipeline') return 'other'
  return actorType === 'agent' ? 'tool_call' : 'explicit_api'
}

/** Channels that go by what is known of entities. */
const ofGraph = ['graph', 'claims', 'traversal', 'claims+traversal']

/** Null where nothing could be searched; `graph` where nothing but what is known of entities led to what was found. */
function typeOf(
  { time }: RecallBody,
  { method, results }: RecallReply,
): EventProperties<'recall.performed'>['type'] {
  if (method === 'none') return null
  if (time) return 'temporal'
  const ranked = results.filter(({ supplementary }) => !supplementary)
  if (ranked.length > 0 && ranked.every(({ source }) => ofGraph.includes(source))) return 'graph'
  return method === 'keyword' ? 'keyword' : 'semantic'
}
