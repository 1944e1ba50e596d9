import type { RecallBody, RecallReply } from '../../../contract/memory/memory.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { recall } from './recall.js'

type Deps = Parameters<typeof recall>[0] & Pick<Daemon, 'telemetry'>
type Surface = 'explicit_api' | 'tool_call'

/** A recall with its events: who asked in general, how it went and how long it took (telemetry.md 3). */
export async function notedRecall(
  deps: Deps,
  caller: Caller,
  body: RecallBody,
  surface: Surface = caller.actorType === 'agent' ? 'tool_call' : 'explicit_api',
): Promise<RecallReply> {
  const { telemetry } = deps
  const started = performance.now()
  telemetry.note({ event: 'recall.attempted', properties: { surface } })
  try {
    const reply = await recall(deps, caller, body)
    const { count: results } = reply
    const truncated = results >= body.limit
    const latencyMs = Math.round(performance.now() - started)
    telemetry.note({
      event: 'recall.performed',
      properties: { surface, type: typeOf(body, reply), results, latencyMs, truncated },
    })
    const result = results === 0 ? 'empty' : truncated ? 'truncated' : 'non_empty'
    telemetry.note({ event: 'recall.outcome', properties: { surface, result, delivery: 'returned' } })
    return reply
  } catch (error) {
    telemetry.note({
      event: 'recall.outcome',
      properties: { surface, result: 'error', delivery: 'not_delivered' },
    })
    throw error
  }
}

/** Null where nothing could be searched. */
function typeOf({ time }: RecallBody, { method }: RecallReply): string | null {
  if (method === 'none') return null
  if (time) return 'temporal'
  return method === 'keyword' ? 'keyword' : 'semantic'
}
