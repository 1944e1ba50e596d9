import type { Generated } from 'kysely'

/** A thing that memories mention. After a merge one entity remains, and the other refers to it. */
export interface EntitiesTable {
  id: string
  agent_id: string
  name: string
  /** The folded name for comparison: words separated by single spaces. */
  name_key: string
  entity_type: string
  /** 1 protects it from clean-up. */
  pinned: number
  /** Number of memories that mention it. */
  mentions: number
  /** The entity it was merged into. */
  merged_into: string | null
  created_at: string
  updated_at: string
}

/** A name or alias of an entity; `active` is 0 for a retired one. An active name has one entity. */
export interface EntityNamesTable {
  agent_id: string
  name_key: string
  entity_id: string
  name: string
  active: number
}

/** A slot of an entity, named by aspect, group and claim; the `_key` columns are folded. */
export interface ClaimsTable {
  id: string
  agent_id: string
  entity_id: string
  aspect: string
  aspect_key: string
  group_name: string
  group_key: string
  claim: string
  claim_key: string
  /** `attribute` or `constraint`. */
  kind: string
  created_at: string
}

/** A value of a claim. */
export interface ClaimVersionsTable {
  id: string
  claim_id: string
  /** Copied from its claim. */
  entity_id: string
  value: string
  /** Values with equal hashes are the same, as with contents of memories. */
  value_hash: string
  /** 0 to 1. */
  confidence: number
  /**
   * `current`, `superseded`, `contested` or `retracted`; whether sources still support it is looked up
   * separately.
   */
  status: string
  /** When it is true in the world: from (inclusive) and until (exclusive); null is open. */
  valid_from: string | null
  valid_until: string | null
  /** When it was recorded, and when it stopped being current. */
  recorded_at: string
  expired_at: string | null
  /** The version that replaced it. */
  replaced_by: string | null
  /** Copied from its evidence. */
  project: string | null
  session_key: string | null
}

export interface ClaimPremisesTable {
  version_id: string
  /** A version it was concluded from. */
  premise_id: string
}

export interface EntityLinksTable {
  id: string
  agent_id: string
  from_id: string
  relation: string
  relation_key: string
  to_id: string
  /** `current` or `unlinked`. */
  status: string
  confidence: number
  valid_from: string | null
  valid_until: string | null
  recorded_at: string
  expired_at: string | null
}

export interface EntityMentionsTable {
  entity_id: string
  memory_id: string
}

/** The audit record of one operation, applied or not. */
export interface OntologyOperationsTable {
  id: string
  agent_id: string
  project: string | null
  operation: string
  /** Validated JSON. */
  payload: string
  reason: string
  confidence: number
  /** `apply`, `propose`, `shadow`, or `decide` when a user applied a proposal. */
  mode: string
  /** `applied`, `proposed`, `blocked`, `deduplicated` or `rejected`. */
  status: string
  result_id: string | null
  blocked_reason: string | null
  proposal_id: string | null
  changed_by: string
  actor_type: string
  session_key: string | null
  request_id: string
  created_at: string
}

/** An operation that waits, or waited, for a user's decision. */
export interface OntologyProposalsTable {
  id: string
  agent_id: string
  operation_id: string
  /** `pending`, `blocked`, `shadow`, `rejected` or `applied`. */
  status: string
  blocked_reason: string | null
  contradiction_risk: number
  /** The contested version it created next to the current one. */
  version_id: string | null
  created_at: string
  decided_at: string | null
  decided_by: string | null
  decided_reason: string | null
  applied_operation_id: string | null
}

/** A decision, or another change by a person, that can be undone. */
export interface OntologyChangesTable {
  id: string
  agent_id: string
  /** Changes of one request share it and are undone together. */
  batch: string
  /** `decision`, or the name of the operation. */
  kind: string
  title: string
  /** JSON: the rows that it changed, before and after. */
  details: string
  at: string
  by: string
  undone_at: string | null
}

/** A verbatim quote from a source, as evidence. */
export interface EvidenceSpansTable {
  id: string
  agent_id: string
  operation_id: string
  /** The entity, claim version or link it supports; null when it supports none. */
  subject_id: string | null
  /** `memory`, `transcript`, `summary` or `artifact`. */
  source_kind: string
  source_id: string
  quote: string
  /** UTF-16 units from the beginning of the source; null for a quote that was not found. */
  span_start: number | null
  span_end: number | null
  /** SHA-256 of the source's text at that time, in hex. */
  source_hash: string | null
  /** The source of the artifact, if it quotes one. */
  artifact_source: Generated<string | null>
}

/** One pass of Dreaming (knowledge.md#dreaming). */
export interface DreamPassesTable {
  id: string
  job_id: string
  /** The pipeline's mode at the start. */
  mode: string
  /** `deterministic`, or provider and model. */
  reader: string
  /** `running`, `completed`, `stopped`, `failed` or `interrupted`. */
  outcome: string
  /** The reason code of an early end. */
  outcome_code: string | null
  /** JSON of counts by name. */
  counts: string
  /** Model calls with their tokens and cost in USD; the cost is null when a rate is unknown. */
  calls: number
  tokens_input: number
  tokens_output: number
  cost: number | null
  /** How the cost was determined (a telemetry value); null before the first call. */
  cost_coverage: string | null
  started_at: string
  ended_at: string | null
}

export interface OntologySchema {
  entities: EntitiesTable
  entity_names: EntityNamesTable
  claims: ClaimsTable
  claim_versions: ClaimVersionsTable
  claim_premises: ClaimPremisesTable
  entity_links: EntityLinksTable
  entity_mentions: EntityMentionsTable
  ontology_operations: OntologyOperationsTable
  ontology_proposals: OntologyProposalsTable
  ontology_changes: OntologyChangesTable
  evidence_spans: EvidenceSpansTable
  dream_passes: DreamPassesTable
}
