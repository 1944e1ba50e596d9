import type { NewOperation, SourceKind } from '../../../contract/knowledge/ontology-operations.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { CostCoverage } from '../../ground/inference/inference.js'

/**
 * One text that a pass reads: a memory, a summary, a part of an artifact, or one message of a conversation. Clean, and
 * its agent's to read. A quote that is handed back stands word for word in one piece, and names its source.
 */
export interface EvidencePiece {
  sourceKind: SourceKind
  /** Id of a memory, summary or artifact; session key of a transcript. */
  sourceId: string
  text: string
  /** Who says it, where that is known: the role of a message, the author of a memory. */
  speaker: string | null
  /** When it was said; ISO 8601. What texts say of Fridays and months counts from then. */
  at: string
  /** Texts of other projects and sessions are never evidence of one operation together. */
  project: string | null
  sessionKey: string | null
}

/** A value that a slot of a known entity holds now, so that the same slot is used again. */
export interface KnownClaim {
  /** Id of the version, for `supersede_claim` and `retract_claim`. */
  version: string
  aspect: string
  group: string
  claim: string
  value: string
}

/** Something that the texts of one reading name, by a name that the agent knows already. */
export interface KnownName {
  name: string
  aliases: readonly string[]
  /** As of entities: `project`, `person`, `tool` and so on. */
  type: string
  /** Undefined for the name of a project, agent or author that is no entity yet. */
  entityId: string | undefined
  /** What is held of it and may be told to its agent; the surest come first. */
  claims: readonly KnownClaim[]
}

/** What a call of a model cost; tokens that its server does not tell are null. */
export interface ModelCall {
  model: string
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  /** Where the counts come from. */
  counted: 'provider_reported' | 'locally_estimated'
  /** USD; null where nobody knows. */
  cost: number | null
  costCoverage: CostCoverage
  durationMs: number
}

/** What the calls of a pass took besides what its row holds; words of telemetry. */
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

/** What a reading may still cost. Readers that ask no model leave it alone. */
export interface PassBudget {
  /** The least of what is left of the pass and of the day. */
  tokensLeft(): number
  callsLeft(): number
  /** Writes a call down; awaited before the next one, so that no restart forgets what was spent. */
  spend(call: ModelCall): Promise<void>
}

export interface Reading {
  /** Texts of one agent and one project, oldest first. */
  agentId: string
  project: string | null
  pieces: readonly EvidencePiece[]
  known: readonly KnownName[]
  budget: PassBudget
  /** Aborted when a pause, the kill switch or the end of the daemon stops the pass. */
  signal: AbortSignal
}

/** Something that the texts say, in the order in which it is to be done: entities before what is said of them. */
export interface FoundOperation {
  operation: NewOperation
  /** Unsure ones are proposed to a person, sure ones applied. */
  isSure: boolean
  /** Which rule or model said it, for the figures of a pass: a word, no text. */
  by: string
}

export interface ReadingResult {
  operations: readonly FoundOperation[]
  /** Pieces that a model gave no answer for, and why, as a word: rules read them, `operations` holds what they say. */
  failed: readonly { piece: EvidencePiece; reason: string }[]
  /** Pieces that no model was asked about, for want of budget or of a provider that answers; rules read them too. */
  left: readonly EvidencePiece[]
}

/** What reads texts for a pass and says what they say, without writing anything (knowledge.md#dreaming). */
export interface DreamReader {
  /** `deterministic`, or provider and model. */
  readonly name: string
  /**
   * @throws the signal's reason once that is aborted. What was spent by then is written down.
   */
  read(reading: Reading): Promise<ReadingResult>
}

/** In conversations only the user is believed: an assistant says what it supposes (knowledge.md#what-is-read). */
export function isBelieved({ sourceKind, speaker }: Pick<EvidencePiece, 'sourceKind' | 'speaker'>): boolean {
  return sourceKind !== 'transcript' || speaker === 'user'
}
