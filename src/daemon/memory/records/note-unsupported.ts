import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Asks for a look at what is drawn from a memory that speaks for nothing any more: it was forgotten, or content safety
 * keeps it out of contexts (knowledge.md#forgetting). Call it in the transaction of the change.
 * @param leaving the one agent that holds it no more; without it, everybody.
 */
export async function noteUnsupported(
  { clock, newId }: Pick<Daemon, 'clock' | 'newId'>,
  { attentions, evidenceSpans }: Pick<Tables, 'attentions' | 'evidenceSpans'>,
  memoryId: string,
  leaving?: string,
): Promise<void> {
  const agents = await evidenceSpans.agentsRestingOn('memory', memoryId)
  const concerned = leaving === undefined ? agents : agents.filter(agent => agent === leaving)
  for (const agent_id of concerned)
    await attentions.add({
      id: newId(),
      agent_id,
      subject_kind: 'memory',
      subject: memoryId,
      kind: 'unsupported_source',
      detail: null,
      created_at: clock().toISOString(),
    })
}
