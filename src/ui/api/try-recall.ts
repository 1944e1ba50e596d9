import type { Reply, Request } from '../../contract/api.js'
import { call } from './call.js'
import { may } from './session.js'

type Asked = Omit<NonNullable<Request<'POST /api/memory/recall'>['body']>, 'trial'>

/**
 * What a recall would give. Who looks at the page is no agent: where the credential may, it counts as no recall
 * (recall.md#trials).
 */
export function tryRecall(asked: Asked, signal?: AbortSignal): Promise<Reply<'POST /api/memory/recall'>> {
  const body = { ...asked, trial: may('analytics') }
  return call('POST /api/memory/recall', { body }, signal ? { signal } : {})
}
