import { call } from '../../client/call.js'
import type { CallOptions } from '../../client/call-options.js'
import { eventData } from '../../client/event-data.js'
import { openLogStream } from '../../client/stream.js'
import type { Reply, Request } from '../../contract/api.js'

type Event = Reply<'GET /api/logs/stream'>
export type FollowedEvent = Exclude<Event, { type: 'connected' }>

/**
 * What the daemon said last and then what it says, each once, until it stops or the signal of the options aborts.
 * @throws ClientError as `call` does.
 */
export async function* followLogs(
  { level, category, ...rest }: NonNullable<Request<'GET /api/logs'>['query']>,
  options: CallOptions,
): AsyncGenerator<FollowedEvent> {
  // The stream begins before the list is asked for, so that nothing is missed between them; what is in both is left out.
  const shown = new Set<string>()
  try {
    for await (const event of eventData<Event>(openLogStream({ level, category }, options))) {
      if (!('type' in event)) {
        if (!shown.delete(JSON.stringify(event))) yield event
      } else if (event.type === 'dropped') yield event
      else {
        const { logs } = await call('GET /api/logs', { query: { level, category, ...rest } }, options)
        for (const entry of logs) {
          shown.add(JSON.stringify(entry))
          yield entry
        }
      }
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}
