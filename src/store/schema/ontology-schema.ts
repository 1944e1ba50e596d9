import type { Generated } from 'kysely'

/** Something that memories speak of. Of two that were merged one is left; the other leads to it. */
export interface EntitiesTable {
  id: string
  agent_id: string
  name: string
  /** The name folded for comparison: words with one space between. */
  name_key: string
  entity_type: string
  /** 1: no clean-up takes it. */
  pinned: number
  /** Memories that mention it. */
  mentions: number
  /** The entity that it became part of. */
  merged_into: string | null
  created_at: string
  updated_at: string
}

/** A name or alias by which an entity is known; a retired one has no `active`. An active one has one entity. */
export interface EntityNamesTable {
  agent_id: string
  name_key: string
  entity_id: string
  name: string
  active: number
}

/** A slot of an entity: aspect, group and claim name it, folded in the columns `_key`. */
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
  /** That of its claim. */
  entity_id: string
  value: string
  /** Two values with one hash are the same value, as contents of memories are. */
  value_hash: string
  /** 0 to 1. */
  confidence: number
  /** `current`, `superseded`, `contested` or `retracted`; whether its sources still say it is looked up. */
  status: string
  /** What the world did: from, inclusive, and until, exclusive; null is open. */
  valid_from: string | null
  valid_until: string | null
  /** What we knew: since when, and until when it was current. */
  recorded_at: string
  expired_at: string | null
  /** The version that took its place. */
  replaced_by: string | null
  /** Of its evidence. */
  project: string | null
  session_key: string | null
}

export interface ClaimPremisesTable {
  version_id: string
  /** The version that it was concluded from. */
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

/** The audit of one operation, applied or not. */
export interface OntologyOperationsTable {
  id: string
  agent_id: string
  project: string | null
  operation: string
  /** JSON, as it was checked. */
  payload: string
  reason: string
  confidence: number
  /** `apply`, `propose`, `shadow`, or `decide`: a person applied a proposal. */
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

/** An operation that waits for a person's decision, or waited. */
export interface OntologyProposalsTable {
  id: string
  agent_id: string
  operation_id: string
  /** `pending`, `blocked`, `shadow`, `rejected` or `applied`. */
  status: string
  blocked_reason: string | null
  contradiction_risk: number
  /** The contested version that it left beside the current one. */
  version_id: string | null
  created_at: string
  decided_at: string | null
  decided_by: string | null
  decided_reason: string | null
  applied_operation_id: string | null
}

/** What a source says word for word, by which something is known. */
export interface EvidenceSpansTable {
  id: string
  agent_id: string
  operation_id: string
  /** The entity, claim version or link that rests on it; null where nothing does. */
  subject_id: string | null
  /** `memory`, `transcript`, `summary` or `artifact`. */
  source_kind: string
  source_id: string
  quote: string
  /** UTF-16 units from the beginning of the source; null for a quote that is not there. */
  span_start: number | null
  span_end: number | null
  /** SHA-256 of the source's text as it was then, hexadecimal. */
  source_hash: string | null
  /** Of an artifact, the source that it is of. */
  artifact_source: Generated<string | null>
}

/** One pass of Dreaming (knowledge.md#dreaming). */
export interface DreamPassesTable {
  id: string
  job_id: string
  /** Of the pipeline, when it began. */
  mode: string
  /** Who read: `deterministic`, or provider and model. */
  reader: string
  /** `running`, `completed`, `stopped`, `failed` or `interrupted`. */
  outcome: string
  /** Why it ended before its end: a word. */
  outcome_code: string | null
  /** JSON of counts by name. */
  counts: string
  /** Calls of a model, what they took, and USD; null where a rate is not known. */
  calls: number
  tokens_input: number
  tokens_output: number
  cost: number | null
  /** Where the cost comes from: a word of telemetry; null before the first call. */
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
  evidence_spans: EvidenceSpansTable
  dream_passes: DreamPassesTable
}
