import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Queues a review of facts drawn from memories that no longer support them: forgotten ones, or ones that
 * content safety excludes (knowledge.md#forgetting). Call it in the transaction of the change.
 * @param leaving the one agent that no longer holds them; all agents when absent.
 */
export async function noteUnsupported(
  { clock, newId }: Pick<Daemon, 'clock' | 'newId'>,
  { attentions, evidenceSpans }: Pick<Tables, 'attentions' | 'evidenceSpans'>,
  memoryIds: readonly string[],
  leaving?: string,
): Promise<void> {
  const resting = await evidenceSpans.agentsRestingOn('memory', memoryIds)
  for (const { agent_id, source_id } of resting) {
    if (leaving !== undefined && agent_id !== leaving) continue
    await attentions.add({
      id: newId(),
      agent_id,
      subject_kind: 'memory',
      subject: source_id,
      kind: 'unsupported_source',
      detail: null,
      created_at: clock().toISOString(),
    })
  }
}
