import type { Operation } from '../../../contract/knowledge/ontology-operations.js'
import type { Tables } from '../../../store/tables/tables.js'
import { recordChange } from '../../memory/records/write-change.js'
import type { CheckedEvidence } from './evidence/evidence-check.js'
import type { Mode, OntologyDeps, OperationResult, OperationScope, Outcome } from './model/operation.js'

export type RecordedOperation = Omit<OperationResult, 'made'>

/** The inputs of a record, in the operation's transaction. */
interface Recording {
  deps: OntologyDeps
  tables: Tables
  scope: OperationScope
  evidence: CheckedEvidence
  mode: Mode
}

/** Limit of memories whose history gets an event for one operation. */
const maxHistories = 20

/**
 * Records an operation, whatever its outcome: the audit, its evidence, a proposal if a person must decide,
 * mentions, and an event in the history of each memory it cites or changes (rules.md 2.2).
 */
export async function recordOperation(
  recording: Recording,
  operation: Operation,
  outcome: Outcome,
): Promise<RecordedOperation> {
  const { deps, tables } = recording
  const operationId = deps.newId()
  const proposalId = outcome.status === 'proposed' || outcome.status === 'blocked' ? deps.newId() : undefined
  const told = {
    status: outcome.status,
    ...('id' in outcome && { id: outcome.id }),
    ...(proposalId !== undefined && { proposalId }),
    ...('why' in outcome && { blockedReason: outcome.why }),
    operationId,
  }
  await writeAudit(recording, operation, told)
  const subjectId = subjectOf(outcome)
  await writeEvidence(recording, operationId, subjectId)
  if (proposalId !== undefined) await writeProposal(recording, outcome, { operationId, proposalId })
  const cited = [
    ...new Set(
      recording.evidence.quotes
        .filter(({ sourceKind, span }) => sourceKind === 'memory' && span !== undefined)
        .map(({ sourceId }) => sourceId),
    ),
  ]
  const mentioned = 'mentioned' in outcome ? (outcome.mentioned ?? []) : []
  for (const entityId of mentioned) await tables.entities.mention(entityId, cited)
  const target = 'memoryId' in outcome ? outcome.memoryId : undefined
  const memories = new Set(target === undefined ? cited : [target, ...cited])
  for (const memoryId of [...memories].slice(0, maxHistories))
    await writeHistory(recording, operation, { memoryId, target, told, outcome })
  return told
}

/** Returns the item that the evidence supports from now on. */
function subjectOf(outcome: Outcome): string | null {
  if ('subjectId' in outcome) return outcome.subjectId ?? null
  return 'versionId' in outcome ? (outcome.versionId ?? null) : null
}

async function writeAudit(
  { deps, tables, scope: { caller, reader }, evidence, mode }: Recording,
  { operation, payload, reason, confidence }: Operation,
  { operationId, status, id, blockedReason, proposalId }: RecordedOperation,
): Promise<void> {
  await tables.ontologyRecords.insertOperation({
    id: operationId,
    agent_id: reader.agentId,
    project: evidence.project,
    operation,
    payload: JSON.stringify(payload),
    reason,
    confidence,
    mode,
    status,
    result_id: id ?? null,
    blocked_reason: blockedReason ?? null,
    proposal_id: proposalId ?? null,
    changed_by: actorOf(mode, caller.actor),
    actor_type: caller.actorType,
    session_key: caller.sessionKey ?? null,
    request_id: caller.requestId,
    created_at: deps.clock().toISOString(),
  })
}

/** Operations in shadow mode always have the same author (rules.md 2.2). */
function actorOf(mode: Mode, actor: string): string {
  return mode === 'shadow' ? 'pipeline-shadow' : actor
}

async function writeEvidence(
  { deps, tables, scope: { reader }, evidence }: Recording,
  operation_id: string,
  subject_id: string | null,
): Promise<void> {
  for (const { sourceKind, sourceId, quote, span, hash } of evidence.quotes)
    await tables.evidenceSpans.insert({
      id: deps.newId(),
      agent_id: reader.agentId,
      operation_id,
      subject_id,
      source_kind: sourceKind,
      source_id: sourceId,
      quote,
      span_start: span?.start ?? null,
      span_end: span?.end ?? null,
      source_hash: hash ?? null,
    })
}

async function writeProposal(
  { deps, tables, scope: { reader }, mode }: Recording,
  outcome: Outcome,
  { operationId, proposalId }: { operationId: string; proposalId: string },
): Promise<void> {
  const open = outcome.status === 'blocked' ? 'blocked' : 'pending'
  await tables.ontologyRecords.insertProposal({
    id: proposalId,
    agent_id: reader.agentId,
    operation_id: operationId,
    status: mode === 'shadow' ? 'shadow' : open,
    blocked_reason: 'why' in outcome ? outcome.why : null,
    contradiction_risk: 'contradictionRisk' in outcome && outcome.contradictionRisk ? 1 : 0,
    version_id: 'versionId' in outcome ? (outcome.versionId ?? null) : null,
    created_at: deps.clock().toISOString(),
  })
}

interface HistoryEntry {
  memoryId: string
  target: string | undefined
  told: RecordedOperation
  outcome: Outcome
}

async function writeHistory(
  { deps, tables, scope: { caller }, mode }: Recording,
  { operation, reason, confidence }: Operation,
  { memoryId, target, told, outcome }: HistoryEntry,
): Promise<void> {
  const risk = 'contradictionRisk' in outcome && outcome.contradictionRisk
  const metadata = {
    shadow: mode === 'shadow',
    proposedAction: operation,
    outcome: told.status,
    operationId: told.operationId,
    ...(told.proposalId !== undefined && { proposalId: told.proposalId }),
    ...(target !== undefined && { targetMemoryId: target }),
    confidence,
    contradictionRisk: risk,
    reviewNeeded: risk,
    ...(told.blockedReason !== undefined && { blockedReason: told.blockedReason }),
  }
  const author = { ...caller, actor: actorOf(mode, caller.actor) }
  const change = await tables.meta.nextChange()
  await recordChange(deps, tables, author, { id: memoryId, change }, { event: 'none', reason, metadata })
}
