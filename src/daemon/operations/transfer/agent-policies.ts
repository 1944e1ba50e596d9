import type { TransferLine } from '../../../contract/operations/transfer.js'
import type { Store } from '../../../store/store.js'
import type { NewAgent } from '../../../store/tables/operations/transfer.js'

type TransferredAgent = Extract<TransferLine, { kind: 'agent' }>

export interface AgentPolicies {
  /** Stores an agent line of the file. @returns its row */
  learn(agent: TransferredAgent, now: Date): NewAgent
  /**
   * Tells whether an agent's global memories share their hashes with others: its policy here decides, then
   * the file's.
   */
  shares(agentId: string): Promise<boolean>
}

/** Read policies of the agents in one import. */
export function createAgentPolicies({ tables }: Pick<Store, 'tables'>): AgentPolicies {
  const fromFile = new Map<string, string>()
  const answers = new Map<string, boolean>()
  return {
    learn: ({ kind: _kind, ...agent }, now) => {
      fromFile.set(agent.id, agent.read_policy)
      return { ...agent, updated_at: now.toISOString() }
    },
    shares: async agentId => {
      const known = answers.get(agentId)
      if (known !== undefined) return known
      const row = await tables.agents.find(agentId)
      const shares = (row?.read_policy ?? fromFile.get(agentId) ?? 'shared') === 'shared'
      answers.set(agentId, shares)
      return shares
    },
  }
}
