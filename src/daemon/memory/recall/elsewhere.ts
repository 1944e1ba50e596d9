import type { RecallBody, RecallReply } from '../../../contract/memory/memory.js'
import type { SearchItemsBody } from '../../../contract/operations/items.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createDaemonState } from '../../platform/daemon/daemon-state.js'

/** Counts items of other kinds, without those that are shown already. */
export type Elsewhere = (
  daemon: Daemon,
  caller: Caller,
  body: SearchItemsBody,
  shown: ReadonlySet<string>,
) => Promise<RecallReply['meta']['elsewhere']>

/** The search over all kinds is above this floor, so it adds itself when the daemon starts. */
export const elsewhere = createDaemonState<Elsewhere>()

/** Filters that only memories have: nothing elsewhere can match them. */
const memoryFilters = [
  'type',
  'tags',
  'pinned',
  'importance_min',
  'scope',
  'sessionId',
  'branch',
  'time',
] as const

/**
 * Adds counts of the other kinds to a recall that asks for them (recall.md#elsewhere). A failure leaves them
 * out.
 */
export async function withElsewhere(
  daemon: Daemon,
  caller: Caller,
  body: RecallBody,
  reply: RecallReply,
): Promise<RecallReply> {
  const count = elsewhere.ifKept(daemon)
  if (!count || memoryFilters.some(name => body[name] != null)) return reply
  const { query, project, who, since, until, agentId, agent_id } = body
  const wanted = { query: query.trim(), project, who, since, until, agentId, agent_id, limit: 1, offset: 0 }
  try {
    const counts = await count(daemon, caller, wanted, new Set(reply.results.map(({ id }) => id)))
    return { ...reply, meta: { ...reply.meta, elsewhere: counts } }
  } catch (error) {
    daemon.log.warn({ err: error }, 'other kinds not counted')
    return reply
  }
}
