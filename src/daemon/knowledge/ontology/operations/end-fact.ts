import type { OperationKind, Work } from '../model/operation.js'

/**
 * Ends a fact that a source does not say any more (knowledge.md#dreaming). If another source says the same,
 * the fact only loses this one.
 */
export const endFact: OperationKind<'end_fact'> = {
  name: 'end_fact',
  isHygiene: true,
  perform: async (work, { fact, sourceKind: kind, sourceId: id, misread }) => {
    const { evidenceSpans, entityLinks } = work.tables
    if (await evidenceSpans.hasOthers(fact, { kind, id })) await evidenceSpans.detach(fact, { kind, id })
    else {
      await endVersion(work, fact, misread)
      await entityLinks.endCurrent(work.reader.agentId, fact, work.now)
    }
    return { status: 'applied', id: fact, ...(kind === 'memory' && { memoryId: id }) }
  },
}

/** Retracts a version; the value that a misread one replaced is current again. */
async function endVersion(
  { tables: { claims, entities }, reader: { agentId }, now }: Work,
  id: string,
  misread: boolean,
): Promise<void> {
  const found = await claims.version(agentId, id)
  if (found?.version.status !== 'current') return
  await claims.updateVersion(id, { status: 'retracted', expired_at: now })
  const replaced = misread ? await claims.standing(found.claim.id, ['superseded']) : []
  const back = { status: 'current', expired_at: null, replaced_by: null, valid_until: null }
  for (const before of replaced) if (before.replaced_by === id) await claims.updateVersion(before.id, back)
  await entities.update(found.claim.entity_id, { updated_at: now })
}
