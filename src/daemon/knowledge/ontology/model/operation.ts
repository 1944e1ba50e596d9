import type {
  OperationName,
  OperationStatus,
  Payload,
} from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { type Caller, isAutonomous } from '../../../ground/visibility/caller.js'
import type { ContradictionAssessment } from '../../../memory/edit/contradiction.js'
import type { RememberDeps } from '../../../memory/remember/remember.js'
import type { CheckedEvidence, OperationPlace } from '../evidence/evidence-check.js'
import type { Reader } from '../evidence/source.js'

/** The parts of the daemon that operations need; some operations save memories. */
export type OntologyDeps = RememberDeps

/** The caller of operations, the reader of stored entities, and the ontology and project of both. */
export interface OperationScope {
  caller: Caller
  reader: Reader
  place: OperationPlace
}

/** Evidence and confidence of an operation. */
export interface OperationGrounds {
  evidence: CheckedEvidence
  confidence: number
}

/** One operation inside its transaction. */
export interface Work extends OperationScope, OperationGrounds {
  deps: OntologyDeps
  tables: Tables
  reason: string
  /** ISO 8601. */
  now: string
  /** True if a person decided: operations that would be blocked are applied. */
  isDecided: boolean
  /** True if a person decided to keep the current value beside the new one. */
  keepsCurrent: boolean
}

/**
 * `propose` applies nothing; `shadow` neither applies nor proposes; `decide` means that a person applies a
 * proposal.
 */
export type Mode = 'apply' | 'propose' | 'shadow' | 'decide'

/** The result of an operation for internal callers. */
export interface OperationResult {
  status: OperationStatus
  id?: string
  proposalId?: string
  blockedReason?: string
  /** Newly created items. */
  made: readonly CreatedKind[]
  /** Id of its record. */
  operationId: string
}

export type CreatedKind = 'entity' | 'aspect' | 'claim'

/** The outcome of an operation inside its transaction. */
export type Outcome =
  | (AppliedOutcome & { status: 'applied' | 'deduplicated' })
  | {
      status: 'blocked'
      why: string
      contradictionRisk: boolean
      /** The contested version that was stored. */
      versionId?: string
      /** The memory that would have been changed. */
      memoryId?: string
    }
  /** Waits for a person although nothing contradicts it. */
  | { status: 'proposed'; memoryId?: string }
  | { status: 'rejected'; why: string; memoryId?: string }

interface AppliedOutcome {
  /** Id of the item that was created, changed or found. */
  id: string
  /** The entity, version or link that the evidence supports. */
  subjectId?: string
  /** Entities mentioned by the memories in the evidence. */
  mentioned?: readonly string[]
  /** The changed memory, or the existing duplicate. */
  memoryId?: string
  /** Newly created items, for statistics. */
  made?: readonly CreatedKind[]
  /** Runs after the commit: updates indexes and vectors. */
  after?: () => Promise<void>
}

/** One kind of operation; `operations.ts` lists all. */
export interface OperationKind<Name extends OperationName, Prepared = undefined> {
  name: Name
  /** Takes ids instead of quotes. */
  isHygiene?: true
  /** A person may do it without a quote. */
  isNaming?: true
  /**
   * Slow work before the transaction.
   * @throws AppError if the payload is invalid
   */
  prepare?: (
    deps: OntologyDeps,
    scope: OperationScope,
    payload: Payload<Name>,
    given: OperationGrounds,
  ) => Promise<Prepared>
  /**
   * Checks and performs the operation; if blocked or rejected, only the changes named in the outcome were
   * made.
   */
  perform: (work: Work, payload: Payload<Name>, prepared: Prepared) => Promise<Outcome>
}

export function rejectedOutcome(why: string, memoryId?: string): Outcome {
  return { status: 'rejected', why, ...(memoryId !== undefined && { memoryId }) }
}

/**
 * Finds the claim version of an operation: it must belong to the agent, be visible to its reader, and have
 * the evidence's project. Evidence without project fits any.
 */
export async function findVersion(
  { tables, reader: { agentId, boundary }, evidence }: Pick<Work, 'tables' | 'reader' | 'evidence'>,
  id: string,
): Promise<{ version: ClaimVersionRow; claim: ClaimRow } | { fault: string }> {
  const told = await tables.claims.toldVersions([id], boundary)
  const found = told.has(id) ? await tables.claims.version(agentId, id) : undefined
  if (!found) return { fault: 'version_not_found' }
  const isHere = evidence.project === null || evidence.project === found.version.project
  return isHere ? found : { fault: 'version_of_other_project' }
}

/** Adds an attention for a slot with a contested value. */
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

/**
 * Returns why a memory must not be changed now (rules.md 1.5): a contradiction blocks everybody, and
 * autonomous callers may only propose. Neither applies once a person has decided.
 */
export function updateRefusal(
  { caller, isDecided }: Pick<Work, 'caller' | 'isDecided'>,
  memoryId: string,
  { contradictionRisk }: ContradictionAssessment,
): Outcome | undefined {
  if (isDecided) return undefined
  if (contradictionRisk) return { status: 'blocked', why: 'contradiction', contradictionRisk, memoryId }
  if (isAutonomous(caller)) return { status: 'proposed', memoryId }
  return undefined
}
