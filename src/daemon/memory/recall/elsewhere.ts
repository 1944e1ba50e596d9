import type { RecallBody, RecallReply } from '../../../contract/memory/memory.js'
import type { FoundItem, SearchItemsBody } from '../../../contract/operations/items.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'

/** Ids of the items of kinds that no recall ranks whole. */
export type Elsewhere = (
  daemon: Daemon,
  caller: Caller,
  body: SearchItemsBody,
) => Promise<readonly Pick<FoundItem, 'kind' | 'id'>[]>

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
 * Runs a recall and counts the other kinds alongside, without the passages that the recall returns
 * (recall.md#elsewhere). A failure leaves the counts out.
 */
export async function withElsewhere(
  daemon: Daemon,
  caller: Caller,
  body: RecallBody,
  recalling: Promise<RecallReply>,
): Promise<RecallReply> {
  const find = elsewhere.ifKept(daemon)
  if (!find || memoryFilters.some(name => body[name] != null)) return recalling
  const { query, project, who, since, until, agentId, agent_id } = body
  const wanted = { query: query.trim(), project, who, since, until, agentId, agent_id, limit: 1, offset: 0 }
  const finding = find(daemon, caller, wanted).catch((error: unknown) => {
    daemon.log.warn({ err: error }, 'other kinds not counted')
    return undefined
  })
  const reply = await recalling
  const found = await finding
  if (!found) return reply
  const shown = new Set(reply.results.map(({ id }) => id))
  const counts: NonNullable<RecallReply['meta']['elsewhere']> = { ...reply.meta.elsewhere }
  for (const { kind, id } of found) if (!shown.has(id)) counts[kind] = (counts[kind] ?? 0) + 1
  return { ...reply, meta: { ...reply.meta, elsewhere: counts } }
}
