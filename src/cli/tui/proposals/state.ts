import type { Proposal } from '../../knowledge/ontology/proposals.js'

export interface Decision {
  id: string
  verb: 'apply' | 'reject'
}

export interface ProposalsState {
  proposals: readonly Proposal[]
  /** Index of the visible proposal; beyond the last one at the end. */
  position: number
  /** The last decision, which can be undone until the next one. */
  pending: (Decision & { position: number }) | undefined
  /** Decisions to send, in order. */
  toSend: readonly Decision[]
  /** Feedback on the last key or reply in one line; '' if there is none. */
  notice: string
  /** True once the user has ended; the remaining decisions are still sent. */
  isOver: boolean
}

export type ProposalsAction =
  | { do: 'decide'; verb: Decision['verb'] }
  | { do: 'skip' }
  | { do: 'undo' }
  | { do: 'finish' }
  | { do: 'sent' }
  | { do: 'failed'; text: string }

export function startProposals(proposals: readonly Proposal[]): ProposalsState {
  return { proposals, position: 0, pending: undefined, toSend: [], notice: '', isOver: false }
}

/** Returns the state after one key or reply. */
export function reduceProposals(state: ProposalsState, action: ProposalsAction): ProposalsState {
  switch (action.do) {
    case 'decide':
      return decide(state, action.verb)
    case 'skip':
      return { ...state, position: Math.min(state.proposals.length, state.position + 1), notice: '' }
    case 'undo':
      if (!state.pending)
        return { ...state, notice: 'Nothing to undo. Earlier decisions have already been sent.' }
      return { ...state, position: state.pending.position, pending: undefined, notice: 'Undone.' }
    case 'finish':
      return { ...release(state), isOver: true }
    case 'sent':
      return { ...state, toSend: state.toSend.slice(1) }
    case 'failed':
      return { ...state, toSend: state.toSend.slice(1), notice: action.text }
  }
}

function decide(state: ProposalsState, verb: Decision['verb']): ProposalsState {
  const { proposals, position } = state
  const proposal = proposals[position]
  if (!proposal) return state
  const pending = { id: proposal.id, verb, position }
  return { ...release(state), pending, position: position + 1, notice: '' }
}

/** Releases the last decision for sending. */
function release(state: ProposalsState): ProposalsState {
  if (!state.pending) return state
  const { position: _position, ...decision } = state.pending
  return { ...state, pending: undefined, toSend: [...state.toSend, decision] }
}
