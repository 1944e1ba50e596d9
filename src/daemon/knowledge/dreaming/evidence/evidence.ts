import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { EvidenceText } from '../reader.js'
import type { FrontierName } from './frontier.js'

export type EvidenceDeps = Pick<Daemon, 'store'>

/** A text of one agent. */
export interface AgentText {
  agentId: string
  piece: EvidenceText
  /** Names given along with the text: its tags, and entities of its `structured` payload. */
  named: readonly string[]
}

/** New and changed texts after a position, and the next position. */
export interface EvidenceBatch {
  pieces: readonly AgentText[]
  place: string
}

/** One kind of text, in the order of arrival or change. */
export interface EvidenceStream {
  /** The name in the counts of a pass. */
  name: 'memories' | 'conversations' | 'artifacts'
  place: FrontierName
  /** @returns undefined if there is nothing after the position */
  next(deps: EvidenceDeps, place: number): Promise<EvidenceBatch | undefined>
}

/** Characters read of one text; the rest is ignored. */
export const maxTextCharacters = 20_000
