import type { Reply } from '../contract/api.js'
import type { CallOptions } from './call-options.js'
import { openTaskStream } from './stream.js'

export type TaskEvent = Reply<'GET /api/tasks/:id/stream'>

/**
 * What a task does, as the daemon tells it, until the daemon ends the stream or the signal of the options aborts.
 * @throws ClientError as `call` does; rejects when the connection breaks off.
 */
export async function* taskEvents(taskId: string, options: CallOptions = {}): AsyncGenerator<TaskEvent> {
  const { createParser } = await import('eventsource-parser')
  const events: TaskEvent[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as TaskEvent) })
  const decoder = new TextDecoder()
  for await (const chunk of await openTaskStream(taskId, options)) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
