import type { Proposal } from '../../knowledge/ontology/proposals.js'

export interface Decision {
  id: string
  verb: 'apply' | 'reject'
}

export interface ProposalsState {
  proposals: readonly Proposal[]
  /** The proposal that is shown; behind the last one once all were. */
  position: number
  /** The last decision: it is sent with the next one, so that it can be undone. */
  held: (Decision & { position: number }) | undefined
  /** Decisions on their way, in the order in which they were taken. */
  toSend: readonly Decision[]
  /** One line about the last key or reply, '' when there is nothing to say. */
  notice: string
  /** No more keys: what is on its way is waited for. */
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
  return { proposals, position: 0, held: undefined, toSend: [], notice: '', isOver: false }
}

/** The state after one key or reply. */
export function reduceProposals(state: ProposalsState, action: ProposalsAction): ProposalsState {
  switch (action.do) {
    case 'decide':
      return decide(state, action.verb)
    case 'skip':
      return { ...state, position: Math.min(state.proposals.length, state.position + 1), notice: '' }
    case 'undo':
      if (!state.held) return { ...state, notice: 'Nothing to undo: earlier decisions are carried out.' }
      return { ...state, position: state.held.position, held: undefined, notice: 'Undone.' }
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
  const held = { id: proposal.id, verb, position }
  return { ...release(state), held, position: position + 1, notice: '' }
}

/** What was held back is sent. */
function release(state: ProposalsState): ProposalsState {
  if (!state.held) return state
  const { position: _position, ...decision } = state.held
  return { ...state, held: undefined, toSend: [...state.toSend, decision] }
}
