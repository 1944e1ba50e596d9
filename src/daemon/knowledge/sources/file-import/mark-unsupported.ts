import type { Tables } from '../../../../store/tables/tables.js'
import type { KindDeps } from '../core/kind.js'

/**
 * Marks facts from an import as no longer supported and queues them for review. The facts and their spans
 * stay (sources.md#removing). Call it in the transaction that removes the import.
 */
export async function markUnsupported(
  { newId, clock }: Pick<KindDeps, 'newId' | 'clock'>,
  tables: Tables,
  source: { id: string; agentId: string; name: string },
  why: 'removed' | 'replaced',
): Promise<void> {
  const about = { agent_id: source.agentId, subject_kind: 'source', subject: source.id }
  const created_at = clock().toISOString()
  const detail = JSON.stringify({ lifecycle: 'unsupported', why, name: source.name, at: created_at })
  for (const kind of ['unsupported_source', 'review_due'])
    await tables.attentions.add({ id: newId(), ...about, kind, detail, created_at })
}
