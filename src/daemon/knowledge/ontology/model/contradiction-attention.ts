import type { Work } from './operation.js'

/** Asks for a look at a slot that has a contested value beside its current one. */
export function noteContradiction(
  { deps, tables, reader: { agentId }, now }: Pick<Work, 'deps' | 'tables' | 'reader' | 'now'>,
  claimId: string,
): Promise<void> {
  return tables.attentions.add({
    id: deps.newId(),
    agent_id: agentId,
    subject_kind: 'claim',
    subject: claimId,
    kind: 'contradiction',
    detail: null,
    created_at: now,
  })
}
