import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { Operation } from '../../../contract/knowledge/ontology-operations.js'
import type { Tables } from '../../../store/tables/tables.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { type Caller, isAutonomous } from '../../ground/visibility/caller.js'
import { scanTextsInSlices } from '../../safety/late-scan.js'
import { type CheckedEvidence, checkEvidence, isUnchanged } from './evidence/evidence-check.js'
import type {
  Mode,
  OntologyDeps,
  OperationKind,
  OperationResult,
  OperationScope,
  Outcome,
  Work,
} from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { beginChange, isUndoable } from './note-change.js'
import { operationNamed } from './operations/operations.js'
import { type RecordedOperation, recordOperation } from './record-operation.js'

interface PerformOptions {
  also?: (tables: Tables, recorded: RecordedOperation) => Promise<void>
  keepsCurrent?: boolean
  batch?: string
  /** Proposals that `also` decides. */
  proposals?: readonly string[]
}

/**
 * Performs operations of one caller one by one; a rejected one does not stop the others
 * (knowledge.md#operations).
 * @throws AppError `scope_violation` for an agent or project outside of the credential
 */
export async function performOperations(
  deps: OntologyDeps,
  caller: Caller,
  { operations, mode, ...named }: NamedPlace & { operations: readonly Operation[]; mode: Mode },
): Promise<OperationResult[]> {
  const scope = scopeOf(caller, named)
  const performed: OperationResult[] = []
  for (const operation of operations) {
    performed.push(await performOperation(deps, scope, operation, mode))
    await nextTurn()
  }
  return performed
}

function scopeOf(caller: Caller, named: NamedPlace): OperationScope {
  const reader = readerOf(caller, named)
  return {
    caller: { ...caller, agentId: reader.agentId },
    reader,
    place: {
      project: named.project ?? reader.boundary.only?.project,
      sessionKey: caller.sessionKey === undefined ? undefined : sessionKeyOf(caller.sessionKey),
    },
  }
}

/**
 * Performs one operation: verifies its quotes, scans its texts, then checks, applies and records it in one
 * transaction (knowledge.md#operations). A proposal is applied and rolled back in a first transaction, which
 * makes its verdict exact, and recorded in a second.
 * @param also writes that belong to the record, in its transaction
 * @param keepsCurrent the current value is kept beside a new one
 * @param batch id under which what a person changed can be undone; by default its own
 */
export async function performOperation(
  deps: OntologyDeps,
  scope: OperationScope,
  operation: Operation,
  mode: Mode,
  { also, keepsCurrent = false, batch, proposals = [] }: PerformOptions = {},
): Promise<OperationResult> {
  const kind = operationNamed(operation.operation)
  const evidence = await checkEvidence(deps.store.tables, scope.reader, scope.place, operation.evidence)
  const fault = refusal(kind, scope, evidence) ?? (await unsafeReason(operation))
  const prepared = fault === undefined ? await prepare(deps, scope, kind, operation, evidence) : undefined
  const why = fault ?? prepared?.fault
  const judge = async (tables: Tables): Promise<Outcome> => {
    if (why !== undefined) return { status: 'rejected', why }
    const isSame = await isUnchanged(tables, scope.reader, evidence)
    if (!isSame) return { status: 'rejected', why: 'source_changed_meanwhile' }
    const { confidence, reason, payload } = operation
    const now = deps.clock().toISOString()
    const given = { evidence, confidence, reason, now, isDecided: mode === 'decide', keepsCurrent }
    const work: Work = { ...scope, ...given, deps, tables }
    return kind.perform(work, payload as never, prepared?.value)
  }
  const isForReal = mode === 'apply' || mode === 'decide'
  const tried = isForReal ? undefined : await tryOut(deps, judge)
  const done = await deps.store.transaction(async tables => {
    const change = isUndoable(scope.caller, operation, mode)
      ? await beginChange(tables, scope.reader.agentId, { ...operation, proposals })
      : undefined
    const outcome = tried ? asProposal(tried) : await judge(tables)
    const recorded = await recordOperation({ deps, tables, scope, evidence, mode }, operation, outcome)
    await also?.(tables, recorded)
    if (outcome.status === 'applied' || outcome.status === 'deduplicated')
      await change?.end(deps, { batch: batch ?? recorded.operationId, caller: scope.caller })
    return { outcome, recorded }
  })
  if ('after' in done.outcome) await done.outcome.after?.()
  return { ...done.recorded, made: 'made' in done.outcome ? (done.outcome.made ?? []) : [] }
}

/** Returns why an operation is refused without a check. */
function refusal(
  { isHygiene, isNaming }: OperationKind<never, unknown>,
  { caller, reader: { boundary } }: OperationScope,
  evidence: CheckedEvidence,
): string | undefined {
  const isUnquoted = evidence.quotes.length === 0
  const needsNone = isHygiene || (isNaming && isUnquoted && !isAutonomous(caller))
  // A caller who sees only a part of an entity must not change the whole.
  if (needsNone && boundary.only) return 'credential_confined'
  if (!needsNone && isUnquoted) return 'evidence_missing'
  return evidence.fault
}

/** Agents read the texts that operations write, so these are scanned like any saved text (rules.md 1.6). */
async function unsafeReason({ payload, reason }: Operation): Promise<string | undefined> {
  const { status } = await scanTextsInSlices([textsOf(payload).join('\n\n'), reason])
  return status === 'clean' ? undefined : 'unsafe_content'
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

async function prepare(
  deps: OntologyDeps,
  scope: OperationScope,
  kind: OperationKind<never, unknown>,
  { payload, confidence }: Operation,
  evidence: CheckedEvidence,
): Promise<{ value?: unknown; fault?: string }> {
  try {
    return { value: await kind.prepare?.(deps, scope, payload as never, { evidence, confidence }) }
  } catch (error) {
    if (error instanceof AppError) return { fault: error.code }
    throw error
  }
}

class TrialRollback extends Error {
  constructor(readonly outcome: Outcome) {
    super('tried out')
  }
}

/**
 * Runs the work in a transaction that is rolled back.
 * @returns the outcome it would have had
 */
async function tryOut(
  { store }: OntologyDeps,
  judge: (tables: Tables) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await store.transaction(async tables => {
      throw new TrialRollback(await judge(tables))
    })
  } catch (error) {
    if (error instanceof TrialRollback) return error.outcome
    throw error
  }
}

/** Converts an applied outcome to a proposal, without ids that were rolled back. */
function asProposal(outcome: Outcome): Outcome {
  if (outcome.status === 'applied')
    return { status: 'proposed', ...(outcome.memoryId !== undefined && { memoryId: outcome.memoryId }) }
  if (outcome.status === 'blocked') {
    const { versionId: _gone, ...rest } = outcome
    return rest
  }
  return outcome
}
