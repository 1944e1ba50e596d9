import type { Reply } from '../contract/api.js'
import type { CallOptions } from './call-options.js'
import { eventData } from './event-data.js'
import { openTaskStream } from './stream.js'

export type TaskEvent = Reply<'GET /api/tasks/:id/stream'>

/**
 * What a task does, as the daemon tells it, until the daemon ends the stream or the signal of the options aborts.
 * @throws ClientError as `call` does; rejects when the connection breaks off.
 */
export function taskEvents(taskId: string, options: CallOptions = {}): AsyncGenerator<TaskEvent> {
  return eventData(openTaskStream(taskId, options))
}
