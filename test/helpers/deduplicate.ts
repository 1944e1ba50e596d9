import type { Request } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'

/**
 * Merges duplicates call by call until none is left; a call stops after two seconds, which a busy machine may
 * exceed.
 */
export async function deduplicateToEnd(
  { call }: Pick<TestDaemon, 'call'>,
  body: Request<'POST /api/repair/deduplicate'>['body'] = {},
): Promise<{ affected: number; near: number }> {
  const total = { affected: 0, near: 0 }
  for (;;) {
    const { status, body: reply } = await call('POST /api/repair/deduplicate', { body })
    if (!reply.success) throw new Error(`deduplicate answered ${status}: ${reply.message}`)
    total.affected += reply.affected
    total.near += Number(reply.details?.near)
    if (reply.details?.status === 'complete') return total
  }
}
