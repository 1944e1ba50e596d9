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
import type { CheckedEvidence, Place } from '../evidence/evidence-check.js'
import type { Reader } from '../evidence/source.js'

/** What operations work with; some of them save memories. */
export type OntologyDeps = RememberDeps

/** In whose ontology, for whom and where operations take place. */
export interface Scope {
  caller: Caller
  reader: Reader
  place: Place
}

/** What an operation rests on. */
export interface Given {
  evidence: CheckedEvidence
  confidence: number
}

/** One operation on its way, inside its transaction. */
export interface Work extends Scope, Given {
  deps: OntologyDeps
  tables: Tables
  reason: string
  /** ISO 8601. */
  now: string
  /** A person looked at it: what would be blocked is done. */
  isDecided: boolean
}

/** `propose` applies nothing, `shadow` neither and asks nobody; `decide`: a person applies a proposal. */
export type Mode = 'apply' | 'propose' | 'shadow' | 'decide'

/** What became of an operation, for programs of ours. */
export interface Performed {
  status: OperationStatus
  id?: string
  proposalId?: string
  blockedReason?: string
  /** What was there not before. */
  made: readonly Made[]
  /** Of its record. */
  operationId: string
}

export type Made = 'entity' | 'aspect' | 'claim'

/** What an operation came to, inside its transaction. */
export type Outcome =
  | (Done & { status: 'applied' | 'deduplicated' })
  | {
      status: 'blocked'
      why: string
      contradictionRisk: boolean
      /** The contested version that it left. */
      versionId?: string
      /** The memory that it would have changed. */
      memoryId?: string
    }
  /** It waits for a person, though nothing speaks against it. */
  | { status: 'proposed'; memoryId?: string }
  | { status: 'rejected'; why: string; memoryId?: string }

interface Done {
  /** Of what was made, changed or found. */
  id: string
  /** What rests on the evidence from now on: an entity, a version or a link. */
  subjectId?: string
  /** Entities that the memories of the evidence mention. */
  mentioned?: readonly string[]
  /** The memory that was changed, or that the duplicate is. */
  memoryId?: string
  /** What was there not before, for those who count. */
  made?: readonly Made[]
  /** What follows once it is committed: indexes and vectors. */
  after?: () => Promise<void>
}

/** One kind of operation; `operations.ts` lists them all. */
export interface OperationKind<Name extends OperationName, Prepared = undefined> {
  name: Name
  /** It names ids instead of quotes. */
  isHygiene?: true
  /** What takes long, before the transaction. @throws AppError for what no operation can do */
  prepare?: (deps: OntologyDeps, scope: Scope, payload: Payload<Name>, given: Given) => Promise<Prepared>
  /** Judges the operation and does it; one that is blocked or rejected has changed nothing but what it says. */
  perform: (work: Work, payload: Payload<Name>, prepared: Prepared) => Promise<Outcome>
}

export function rejected(why: string, memoryId?: string): Outcome {
  return { status: 'rejected', why, ...(memoryId !== undefined && { memoryId }) }
}

/**
 * The claim version that an operation is about: one of the agent, that its reader may be told, and of the project that
 * the evidence is of. Evidence of no project goes with any.
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

/**
 * Why a memory is not updated or forgotten now (rules.md 1.5): what contradicts it stays blocked for everybody, and
 * nobody who acts on their own applies any. A person who decided on the proposal does.
 */
export function refusedUpdate(
  { caller, isDecided }: Pick<Work, 'caller' | 'isDecided'>,
  memoryId: string,
  { contradictionRisk }: ContradictionAssessment,
): Outcome | undefined {
  if (isDecided) return undefined
  if (contradictionRisk) return { status: 'blocked', why: 'contradiction', contradictionRisk, memoryId }
  if (isAutonomous(caller)) return { status: 'proposed', memoryId }
  return undefined
}
