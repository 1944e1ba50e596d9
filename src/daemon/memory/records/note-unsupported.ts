import type { Tables } from '../../../store/tables/tables.js'
import { settleValues } from '../../ground/entities/settle-values.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Queues a review of facts drawn from memories or artifacts that no longer support them: forgotten or deleted
 * ones, or ones that content safety excludes. Values that these replaced are current again at once
 * (knowledge.md#forgetting). Call it in the transaction of the change, after it.
 * @param leaving the one agent that no longer holds them; all agents when absent.
 */
export async function noteUnsupported(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  ids: readonly string[],
  { leaving, kind = 'memory' }: { leaving?: string | undefined; kind?: 'memory' | 'artifact' } = {},
): Promise<void> {
  const isResting = await queueReview(deps, tables, ids, { leaving, kind })
  if (isResting) await settleValues(deps, tables, { kind, ids })
}

/**
 * Queues a review of facts from a memory that another one replaced. It waits until Dreaming has read the new
 * one, which may say the same.
 */
export async function noteSuperseded(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  id: string,
): Promise<void> {
  await queueReview(deps, tables, [id], { kind: 'memory' })
}

/** @returns whether any facts rest on them */
async function queueReview(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  { attentions, evidenceSpans }: Tables,
  ids: readonly string[],
  { leaving, kind }: { leaving?: string | undefined; kind: 'memory' | 'artifact' },
): Promise<boolean> {
  const resting = await evidenceSpans.agentsRestingOn(kind, ids)
  for (const { agent_id, source_id } of resting) {
    if (leaving !== undefined && agent_id !== leaving) continue
    await attentions.add({
      id: deps.newId(),
      agent_id,
      subject_kind: kind,
      subject: source_id,
      kind: 'unsupported_source',
      detail: null,
      created_at: deps.clock().toISOString(),
    })
  }
  return resting.length > 0
}
