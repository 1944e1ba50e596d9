import type { Agent, AgentChange, AgentCounts, NewAgentBody } from '../../../contract/agents/roster.js'
import * as contract from '../../../contract/agents/roster.js'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import type { Tables } from '../../../store/tables/tables.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { agentNotFound, assertGroup, findAgent, implicitDefaultAgent, toAgent } from './agent.js'
import { removeAgent } from './remove-agent.js'

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

type Deps = Pick<Daemon, 'store' | 'clock'>

/** Lists every agent by name; a credential limited to one agent sees only that one. */
async function listAgents({ store }: Deps, { access: { scope } }: Caller): Promise<Agent[]> {
  const { tables } = store
  const known = (await tables.agents.roster()).map(toAgent)
  const isNew = !known.some(({ id }) => id === defaultAgent)
  const all = isNew ? [await implicitDefaultAgent(tables), ...known] : known
  const seen = scope.agent === undefined ? all : all.filter(({ id }) => id === scope.agent)
  return seen.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * @param counts whether to add the counts of what a removal would affect.
 * @throws AppError `not_found` for an agent that is not in the roster, or another than the credential's.
 */
async function getAgent(
  { store }: Deps,
  { access: { scope } }: Caller,
  name: string,
  { counts }: { counts: boolean },
): Promise<Agent & { counts?: AgentCounts }> {
  const isSeen = scope.agent === undefined || scope.agent === name
  const agent = isSeen ? await findAgent(store.tables, name) : undefined
  if (!agent) throw agentNotFound(name)
  return counts ? { ...agent, counts: await store.tables.agentTraces.count(name) } : agent
}

/**
 * Adds an agent, isolated unless the request says otherwise (agents.md 4.2).
 * @throws AppError `conflict` when the name is taken, `validation_failed` for the policy `group` without a
 * group, `scope_violation` for another agent than the credential's.
 */
async function createAgent(
  { store, clock }: Deps,
  { access: { scope } }: Caller,
  { name, read_policy, policy_group }: NewAgentBody,
): Promise<Agent> {
  assertInScope(scope, 'agent', name)
  const policy = read_policy ?? 'isolated'
  const group = policy_group ?? null
  assertGroup(policy, group)
  const now = clock().toISOString()
  const row = { id: name, name, read_policy: policy, policy_group: group, created_at: now, updated_at: now }
  const isAdded = name !== defaultAgent && (await store.transaction(({ agents }) => agents.add(row)))
  if (!isAdded) throw await nameTaken(store.tables, name)
  return row
}

async function nameTaken(tables: Pick<Tables, 'agents'>, name: string): Promise<AppError> {
  const isThere = await findAgent(tables, name)
  const what = isThere
    ? `agent ${quoted(name)} already exists; change what it may read with memory agents edit (PATCH /api/agents/:name)`
    : `agent ${quoted(name)} is being removed; create it again when that has finished`
  return new AppError('conflict', what)
}

/**
 * Changes what an agent may read. Policies are not cached, so its next request uses the new one. A missing
 * field keeps its value (agents.md 2.3).
 * @throws AppError `not_found`, `validation_failed` for the policy `group` without a group.
 */
async function changeAgent(
  { store, clock }: Deps,
  name: string,
  { read_policy, policy_group }: AgentChange,
): Promise<Agent> {
  return store.transaction(async tables => {
    const known = await findAgent(tables, name)
    if (!known) throw agentNotFound(name)
    const policy = {
      read_policy: read_policy ?? known.read_policy,
      policy_group: policy_group === undefined ? known.policy_group : policy_group,
    }
    assertGroup(policy.read_policy, policy.policy_group)
    const now = clock().toISOString()
    await tables.agents.register(name, known.created_at)
    await tables.agents.setPolicy(name, policy, now)
    return { ...known, ...policy, updated_at: now }
  })
}
