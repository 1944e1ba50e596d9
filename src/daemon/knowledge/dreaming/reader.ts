import type { NewOperation, SourceKind } from '../../../contract/knowledge/ontology-operations.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { CostCoverage } from '../../ground/inference/inference.js'

/**
 * One text that a pass reads: a memory, a summary, a part of an artifact, or one message. It is clean and
 * visible to its agent. Extracted quotes occur literally in one text and name its source.
 */
export interface EvidenceText {
  sourceKind: SourceKind
  /** Id of a memory, summary or artifact; session key of a transcript. */
  sourceId: string
  text: string
  /** Title of a note or file, where its source knows one. */
  title?: string | undefined
  /** The author, if known: the role of a message, the author of a memory. */
  speaker: string | null
  /** Time of the text, ISO 8601; weekdays and months in it are relative to this time. */
  at: string
  /** Texts of different projects and sessions never support one operation together. */
  project: string | null
  sessionKey: string | null
}

/** A current value of a known entity, so that its slot is reused. */
export interface KnownClaim {
  /** Id of the version, for `supersede_claim` and `retract_claim`. */
  version: string
  aspect: string
  group: string
  claim: string
  value: string
}

/** A name in the texts that the agent already knows. */
export interface KnownName {
  name: string
  aliases: readonly string[]
  /** An entity type: `project`, `person`, `tool` and so on. */
  type: string
  /** Undefined for a project, agent or author that is not an entity yet. */
  entityId: string | undefined
  /** Current values visible to the agent, most confident first. */
  claims: readonly KnownClaim[]
}

/** The cost of a model call; tokens that its server does not report are null. */
export interface ModelCall {
  model: string
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  /** The origin of the counts. */
  counted: 'provider_reported' | 'locally_estimated'
  /** USD; null if unknown. */
  cost: number | null
  costCoverage: CostCoverage
  durationMs: number
}

/** Token and cache statistics of a pass that are not columns of its row. */
export type PassTokens = Pick<
  EventProperties<'dreaming.pass'>,
  | 'tokensCacheRead'
  | 'tokensCacheWrite'
  | 'tokenCoverage'
  | 'cacheRequests'
  | 'cacheHits'
  | 'cacheMisses'
  | 'cacheUnknown'
  | 'cacheWrites'
>

/** The remaining budget of a reading; readers without a model do not use it. */
export interface PassBudget {
  /** The smaller of the remaining budgets of pass and day. */
  tokensLeft(): number
  callsLeft(): number
  /** Records a call; awaited before the next one, so that a restart never forgets spending. */
  spend(call: ModelCall): Promise<void>
}

export interface ReadingRequest {
  /** Texts of one agent and one project, oldest first. */
  agentId: string
  /** Short name of their project, which is the name of its entity. */
  project: string | null
  pieces: readonly EvidenceText[]
  known: readonly KnownName[]
  budget: PassBudget
  /** Aborts when a pause, the kill switch or the end of the daemon stops the pass. */
  signal: AbortSignal
}

/** An operation extracted from texts; entities come before facts about them. */
export interface ExtractedOperation {
  operation: NewOperation
  /** Sure operations are applied, others are proposed to a person. */
  isSure: boolean
  /** The rule or model that extracted it, for statistics; never text from the source. */
  by: string
  /** Time of the text, for values that change with time. */
  saidAt?: string
}

export interface ReadingResult {
  operations: readonly ExtractedOperation[]
  /**
   * Texts for which the model gave no answer, with the reason as a word. Rules read them; `operations` has
   * their results.
   */
  failed: readonly { piece: EvidenceText; reason: string }[]
  /**
   * Texts that were not sent to a model because of the budget or an unavailable provider. Rules read them,
   * too.
   */
  left: readonly EvidenceText[]
}

/** Extracts operations from texts for a pass, without writing anything (knowledge.md#dreaming). */
export interface DreamReader {
  /** `deterministic`, or provider and model. */
  readonly name: string
  /** @throws the signal's reason once that is aborted; spending up to then is recorded */
  read(reading: ReadingRequest): Promise<ReadingResult>
}

/**
 * Only the user's messages count in conversations, because an assistant may be guessing
 * (knowledge.md#what-is-read).
 */
export function isBelieved({ sourceKind, speaker }: Pick<EvidenceText, 'sourceKind' | 'speaker'>): boolean {
  return sourceKind !== 'transcript' || speaker === 'user'
}
