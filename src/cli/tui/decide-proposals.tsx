import { render } from 'ink'
import type { Proposal } from '../knowledge/proposal-text.js'
import { ProposalsScreen } from './proposals-screen.js'
import type { Decision } from './proposals-state.js'

/** Shows proposals on the terminal until the person ends. @returns how many decisions were carried out. */
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
