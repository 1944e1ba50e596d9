import type { Reply, Request } from '../../contract/api.js'
import { call } from './call.js'
import { may } from './session.js'

type RecallBody = Omit<NonNullable<Request<'POST /api/memory/recall'>['body']>, 'trial'>

/**
 * Runs a recall as a trial. The user of the page is not an agent, so the recall is not counted if the
 * credential permits that (recall.md#trials).
 */
export function tryRecall(
  asked: RecallBody,
  signal?: AbortSignal,
): Promise<Reply<'POST /api/memory/recall'>> {
  const body = { ...asked, trial: may('analytics') }
  return call('POST /api/memory/recall', { body }, signal ? { signal } : {})
}
