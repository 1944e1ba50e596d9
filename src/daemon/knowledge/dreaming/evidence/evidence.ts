import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { EvidencePiece } from '../reader.js'
import type { FrontierName } from './frontier.js'

export type EvidenceDeps = Pick<Daemon, 'store'>

/** A piece of one agent. */
export interface AgentPiece {
  agentId: string
  piece: EvidencePiece
  /** Names that stand beside the text: its tags, and what its `structured` payload names. */
  named: readonly string[]
}

/** What came or changed behind a place, and the place behind it. */
export interface EvidenceBatch {
  pieces: readonly AgentPiece[]
  place: string
}

/** One kind of what is said, in the order in which it came or changed. */
export interface EvidenceStream {
  /** As counted of a pass. */
  name: 'memories' | 'conversations' | 'artifacts'
  place: FrontierName
  /** @returns undefined when there is nothing behind the place. */
  next(deps: EvidenceDeps, place: number): Promise<EvidenceBatch | undefined>
}

/** Characters of one piece that are read; what follows in a longer text is left. */
export const maxPieceCharacters = 20_000
