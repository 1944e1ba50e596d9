import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Evidence, Operation } from '../../../contract/knowledge/ontology-operations.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Caller, isAutonomous } from '../../ground/visibility/caller.js'
import type { OntologyDeps, OperationScope } from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { beginChange } from './note-change.js'
import { performOperation } from './perform-operation.js'
import { findProposal, openStatuses, quotesOf, type VisibleProposal } from './proposals.js'

interface Decision extends NamedPlace {
  id: string
  reason: string
  /** The current value is kept too. */
  keepsCurrent?: boolean
  /** Decisions of a request, which are undone together; by default the decision's own id. */
  batch?: string
}

/** Another request decided the proposal first. */
class AlreadyDecided extends Error {}

/**
 * Applies a proposal to the current state: quotes are verified again, and contradicting values are replaced
 * (knowledge.md#proposals). If that is impossible, the proposal stays open.
 * @throws AppError `forbidden` for callers that are not a person, `scope_violation`
 */
export async function applyProposal(
  deps: OntologyDeps,
  caller: Caller,
  { id, reason, keepsCurrent, batch = deps.newId(), ...named }: Decision,
): Promise<Reply<'POST /api/ontology/proposals/:id/apply'>> {
  assertPerson(caller)
  const reader = readerOf(caller, named)
  const proposal = await findProposal(deps, reader, id)
  if (!proposal) return { proposalId: id, status: 'not_found' }
  if (!isOpen(proposal)) return { proposalId: id, status: 'already_decided' }
  const { operation } = proposal
  const scope: OperationScope = {
    caller: { ...caller, agentId: reader.agentId },
    reader,
    place: { project: operation.project ?? undefined, sessionKey: undefined },
  }
  const wanted = {
    operation: operation.operation,
    payload: JSON.parse(operation.payload) as unknown,
    reason,
    confidence: operation.confidence,
    evidence: quotesOf(proposal.spans) as Evidence[],
  } as Operation
  try {
    const {
      status,
      id: made,
      blockedReason,
    } = await performOperation(deps, scope, wanted, 'decide', {
      ...{ keepsCurrent, batch, proposals: [id] },
      also: async (tables, recorded) => {
        if (recorded.status !== 'applied' && recorded.status !== 'deduplicated') return
        const decision = { status: 'applied', applied_operation_id: recorded.operationId }
        await decide(deps, tables, caller, { id, reason, ...decision })
      },
    })
    const isDone = status === 'applied' || status === 'deduplicated'
    return {
      proposalId: id,
      status: isDone ? status : 'rejected',
      ...(made !== undefined && { id: made }),
      ...(blockedReason !== undefined && { blockedReason }),
    }
  } catch (error) {
    if (error instanceof AlreadyDecided) return { proposalId: id, status: 'already_decided' }
    throw error
  }
}

/**
 * Rejects a proposal and retracts the contested value that it stored.
 * @throws AppError as above
 */
export async function rejectProposal(
  deps: OntologyDeps,
  caller: Caller,
  { id, reason, batch = deps.newId(), ...named }: Decision,
): Promise<Reply<'POST /api/ontology/proposals/:id/reject'>> {
  assertPerson(caller)
  const reader = readerOf(caller, named)
  const proposal = await findProposal(deps, reader, id)
  if (!proposal) return { proposalId: id, status: 'not_found' }
  if (!isOpen(proposal)) return { proposalId: id, status: 'already_decided' }
  try {
    const { operation, payload } = proposal.operation
    await deps.store.transaction(async tables => {
      const change = await beginChange(tables, reader.agentId, {
        ...({ operation, payload: JSON.parse(payload) } as Operation),
        proposals: [id],
      })
      await decide(deps, tables, caller, { id, reason, status: 'rejected' })
      const { version_id: version } = proposal.row
      const [left] = version === null ? [] : await tables.claims.loadVersions([version])
      if (left?.status === 'contested')
        await tables.claims.updateVersion(left.id, {
          status: 'retracted',
          expired_at: deps.clock().toISOString(),
        })
      await change?.end(deps, { batch, caller })
    })
    return { proposalId: id, status: 'rejected' }
  } catch (error) {
    if (error instanceof AlreadyDecided) return { proposalId: id, status: 'already_decided' }
    throw error
  }
}

/** @throws AppError `forbidden` */
export function assertPerson(caller: Caller): void {
  if (isAutonomous(caller))
    throw new AppError('forbidden', 'only a person may decide on proposals: memory review')
}

function isOpen({ row }: VisibleProposal): boolean {
  return openStatuses.some(status => status === row.status)
}

/** @throws AlreadyDecided if it is not open any more; the transaction is then rolled back */
async function decide(
  { clock }: Pick<OntologyDeps, 'clock'>,
  { ontologyRecords }: Tables,
  { actor }: Caller,
  { id, reason, ...decision }: { id: string; reason: string; status: string; applied_operation_id?: string },
): Promise<void> {
  const isDecided = await ontologyRecords.decideProposal(id, openStatuses, {
    ...decision,
    decided_at: clock().toISOString(),
    decided_by: actor,
    decided_reason: reason,
  })
  if (!isDecided) throw new AlreadyDecided()
}
