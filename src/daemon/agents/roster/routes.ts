import * as contract from '../../../contract/agents/roster.js'
import { route } from '../../platform/http/bind.js'
import { removeAgent } from './remove-agent.js'
import { changeAgent, createAgent, getAgent, listAgents } from './roster.js'

export const routes = [
  route(contract.listAgents, async (daemon, { caller }) => ({ agents: await listAgents(daemon, caller) })),
  route(contract.getAgent, (daemon, { caller, params, query }) =>
    getAgent(daemon, caller, params.name, query),
  ),
  route(contract.createAgent, (daemon, { caller, body }) => createAgent(daemon, caller, body)),
  route(contract.changeAgent, (daemon, { params, body }) => changeAgent(daemon, params.name, body)),
  route(contract.removeAgent, (daemon, { caller, params, query }) =>
    removeAgent(daemon, caller, params.name, query),
  ),
]
