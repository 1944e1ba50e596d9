import { type Operation, operation as schema } from '../../../../contract/knowledge/ontology-operations.js'
import { performOperation } from '../../ontology/perform-operation.js'
import type { ExtractedOperation } from '../reader.js'
import { breathe, type DreamingPass, modeOf, scopeOf } from './pass.js'

/** The names of applied operations in the statistics of a pass. */
const effects: Partial<Record<Operation['operation'], string>> = {
  create_entity: 'entitiesCreated',
  assert_claim: 'claimsChanged',
  supersede_claim: 'claimsChanged',
  retract_claim: 'claimsChanged',
  link: 'relationshipsChanged',
  unlink: 'relationshipsChanged',
  add_memory: 'memoriesCreated',
  supersede_memory: 'memoriesSuperseded',
  forget_memory: 'memoriesRetired',
}

/**
 * Performs the extracted operations one by one. An operation already requested on the same evidence is
 * skipped, whatever a person decided, so that a killed pass can simply be repeated.
 */
export async function performExtracted(
  pass: DreamingPass,
  { agentId, project }: { agentId: string; project: string | null },
  found: readonly ExtractedOperation[],
): Promise<void> {
  const asked = createRequestLog(pass, agentId)
  const scope = scopeOf(pass, agentId, project)
  for (const { operation: given, isSure, by } of found) {
    await breathe(pass)
    const parsed = schema.safeParse(given)
    if (!parsed.success) {
      pass.counts.add('operations.invalid')
      continue
    }
    const { data: operation } = parsed
    if (await asked(operation)) {
      pass.counts.add('operations.known')
      continue
    }
    const { status, blockedReason } = await performOperation(
      pass.deps,
      scope,
      operation,
      modeOf(pass, isSure),
    )
    pass.counts.add(`operations.${status}`)
    pass.counts.add(`by.${by}`)
    if (status === 'applied') pass.counts.add(effects[operation.operation] ?? 'otherChanges')
    if (status === 'applied' || status === 'deduplicated')
      pass.counts.add('provenanceLinksChanged', operation.evidence.length)
    if (blockedReason !== undefined && status === 'rejected') pass.counts.add(`rejected.${blockedReason}`)
  }
}

/**
 * Returns a check whether an operation was already requested on its evidence; each source is queried once.
 */
function createRequestLog(
  { deps, isShadow }: DreamingPass,
  agentId: string,
): (operation: Operation) => Promise<boolean> {
  const bySource = new Map<string, Set<string>>()
  return async ({ operation, payload, evidence }) => {
    const key = `${operation} ${JSON.stringify(payload)}`
    const seen = await Promise.all(
      evidence.map(async ({ sourceKind: kind, sourceId: id }) => {
        const source = `${kind}:${id}`
        const known = bySource.get(source) ?? (await load(kind, id))
        bySource.set(source, known)
        const isKnown = known.has(key)
        known.add(key)
        return isKnown
      }),
    )
    return seen.length > 0 && seen.every(Boolean)
  }

  async function load(kind: string, id: string): Promise<Set<string>> {
    const rows = await deps.store.tables.ontologyRecords.askedOf(agentId, { kind, id })
    // Operations of the shadow mode still have to be performed for real.
    const counted = rows.filter(({ mode }) => isShadow || mode !== 'shadow')
    return new Set(counted.map(row => `${row.operation} ${row.payload}`))
  }
}
