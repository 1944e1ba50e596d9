import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/call-options.js'
import type { Reply } from '../../../contract/api.js'

/** A program that ignores the first signal has five seconds; the daemon answers when it has ended. */
const timeoutMs = 30_000

/** Ends the open run of a task. @returns the run as it ended. @throws ClientError `conflict` when none is open. */
export async function cancelRun(
  taskId: string,
  reach: CallOptions,
): Promise<Reply<'POST /api/tasks/:id/cancel'>> {
  return call('POST /api/tasks/:id/cancel', { params: { id: taskId } }, { ...reach, timeoutMs })
}
