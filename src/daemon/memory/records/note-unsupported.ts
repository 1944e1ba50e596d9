import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Queues a review of facts drawn from memories or artifacts that no longer support them: forgotten or deleted
 * ones, or ones that content safety excludes (knowledge.md#forgetting). Call it in the transaction of the
 * change.
 * @param leaving the one agent that no longer holds them; all agents when absent.
 */
export async function noteUnsupported(
  { clock, newId }: Pick<Daemon, 'clock' | 'newId'>,
  { attentions, evidenceSpans }: Pick<Tables, 'attentions' | 'evidenceSpans'>,
  ids: readonly string[],
  { leaving, kind = 'memory' }: { leaving?: string | undefined; kind?: 'memory' | 'artifact' } = {},
): Promise<void> {
  const resting = await evidenceSpans.agentsRestingOn(kind, ids)
  for (const { agent_id, source_id } of resting) {
    if (leaving !== undefined && agent_id !== leaving) continue
    await attentions.add({
      id: newId(),
      agent_id,
      subject_kind: kind,
      subject: source_id,
      kind: 'unsupported_source',
      detail: null,
      created_at: clock().toISOString(),
    })
  }
}
