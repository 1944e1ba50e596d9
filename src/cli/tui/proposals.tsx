import { Box, render, Text, useApp, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import { labelOf } from '../../lib/text/labels.js'
import { quoteLine } from '../knowledge/ontology/ontology-text.js'
import { changeText, type Proposal, statusText } from '../knowledge/ontology/proposals.js'
import { firstLines, plainLine } from '../terminal/text.js'
import { Column, type KeyPress, keyPresses, tint, useScreenSize } from './screen.js'

interface ProposalsScreenProps {
  proposals: readonly Proposal[]
  /** False disables colour. */
  color: boolean
  /** Sends a decision. Rejects with a sentence for the user. */
  send: (decision: Decision) => Promise<void>
}

interface ProposalViewProps {
  state: ProposalsState
  proposal: Proposal
  width: number
  color: boolean
}

interface LinesProps {
  mark: string
  text: string
  width: number
  color: boolean
  tone: 'red' | 'green'
}

/** Shows proposals until the user ends. @returns the number of sent decisions. */
export async function decideProposals(input: {
  proposals: readonly Proposal[]
  color: boolean
  send: (decision: Decision) => Promise<void>
}): Promise<{ applied: number; rejected: number }> {
  const sent: Decision[] = []
  const send = async (decision: Decision): Promise<void> => {
    await input.send(decision)
    sent.push(decision)
  }
  const screen = render(<ProposalsScreen {...input} send={send} />)
  await screen.waitUntilExit()
  const count = (verb: Decision['verb']) => sent.filter(one => one.verb === verb).length
  return { applied: count('apply'), rejected: count('reject') }
}

/**
 * Shows one proposal after another with its evidence: a applies, r rejects, s skips, u undoes the last
 * decision, q ends. A decision is sent along with the next one, and the last one at the end.
 */
export function ProposalsScreen({ proposals, color, send }: ProposalsScreenProps) {
  const [state, act] = useReducer(reduceProposals, startProposals(proposals))
  const { columns } = useScreenSize()
  const { exit } = useApp()
  const [next] = state.toSend

  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const action = actionOf(press)
      if (action) act(action)
    }
  })

  useEffect(() => {
    if (!next) return
    send(next).then(
      () => act({ do: 'sent' }),
      error => act({ do: 'failed', text: (error as Error).message }),
    )
  }, [next, send])

  const ended = state.isOver && state.toSend.length === 0
  useEffect(() => {
    if (ended) exit()
  }, [ended, exit])

  if (ended) return null
  const shown = proposals[state.position]
  return (
    <Column width={Math.min(columns, 120)}>
      {shown ? (
        <ProposalView state={state} proposal={shown} width={Math.min(columns, 120)} color={color} />
      ) : (
        <Finished />
      )}
      <Text {...tint(color, 'yellow')}>{plainLine(state.notice) || ' '}</Text>
      <Text dimColor>a apply · r reject · s skip · u undo · q quit</Text>
    </Column>
  )
}

function actionOf({ input, key }: KeyPress): ProposalsAction | undefined {
  if (key.escape || input === 'q') return { do: 'finish' }
  if (input === 'a') return { do: 'decide', verb: 'apply' }
  if (input === 'r') return { do: 'decide', verb: 'reject' }
  if (input === 's' || key.downArrow || key.rightArrow) return { do: 'skip' }
  return input === 'u' ? { do: 'undo' } : undefined
}

function Finished() {
  return <Text bold>No more proposals. Press q to quit; the last decision is sent then.</Text>
}

function ProposalView({ state, proposal, width, color }: ProposalViewProps) {
  const { operation, blockedReason, reason, evidence, confidence } = proposal
  const change = changeText(proposal)
  return (
    <Box flexDirection="column">
      <Text>
        <Text
          bold
        >{`${state.position + 1} of ${state.proposals.length}  ${labelOf('operation', operation)}  `}</Text>
        <Text {...tint(color, blockedReason ? 'red' : 'cyan')}>{statusText(proposal)}</Text>
        <Text dimColor>{`  confidence ${confidence.toFixed(2)}`}</Text>
      </Text>
      <Text dimColor>{plainLine(reason)}</Text>
      <Box flexDirection="column" marginTop={1}>
        {proposal.before !== null && (
          <Lines mark="- " text={proposal.before} width={width} color={color} tone="red" />
        )}
        <Lines mark="+ " text={change} width={width} color={color} tone="green" />
      </Box>
      <Box flexDirection="column" marginTop={1}>
        {evidence.map((span, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a screen have no other name
          <Text key={position}>{firstLines(quoteLine(span), width, 3).join('\n')}</Text>
        ))}
        {evidence.length === 0 && <Text dimColor>No quotes.</Text>}
      </Box>
    </Box>
  )
}

function Lines({ mark, text, width, color, tone }: LinesProps) {
  const lines = firstLines(plainLine(text), Math.max(10, width - mark.length), 6)
  return <Text {...tint(color, tone)}>{lines.map(line => `${mark}${line}`).join('\n')}</Text>
}

export interface Decision {
  id: string
  verb: 'apply' | 'reject'
}

interface ProposalsState {
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

type ProposalsAction =
  | { do: 'decide'; verb: Decision['verb'] }
  | { do: 'skip' }
  | { do: 'undo' }
  | { do: 'finish' }
  | { do: 'sent' }
  | { do: 'failed'; text: string }

function startProposals(proposals: readonly Proposal[]): ProposalsState {
  return { proposals, position: 0, pending: undefined, toSend: [], notice: '', isOver: false }
}

/** Returns the state after one key or reply. */
function reduceProposals(state: ProposalsState, action: ProposalsAction): ProposalsState {
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
