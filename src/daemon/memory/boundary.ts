import type { ReadPolicy } from '../../contract/memory.js'
import type { ReadBoundary } from '../../store/tables/memory-filter.js'
import { type Caller, defaultAgent } from '../caller.js'
import type { Daemon } from '../daemon.js'

type Deps = Pick<Daemon, 'store'>

export interface NamedAgent {
  agentId?: string | null | undefined
  agent_id?: string | null | undefined
}

/** The agent a request names: its own field before the caller's headers; undefined when it names none. */
export function agentOf(caller: Caller, input: NamedAgent | undefined): string | undefined {
  return input?.agentId ?? input?.agent_id ?? caller.agentId
}

/** What an agent may read by its registered policy; an unknown agent reads like a first-seen one, `shared` (spec 1, 4.4). */
export async function readBoundary(deps: Deps, caller: Caller, input?: NamedAgent): Promise<ReadBoundary> {
  const agent = agentOf(caller, input) ?? defaultAgent
  return boundaryOf(deps, agent, await registeredPolicy(deps, agent))
}

/**
 * What a recall may see. Isolated when an agent is named without a policy (spec 1, 1.3.2); a policy that is given
 * can narrow what the agent's own allows, never widen it.
 */
export async function recallBoundary(
  deps: Deps,
  caller: Caller,
  input: NamedAgent & { readPolicy?: ReadPolicy | null | undefined; policyGroup?: string | null | undefined },
): Promise<ReadBoundary> {
  const named = agentOf(caller, input)
  const agent = named ?? defaultAgent
  const own = await registeredPolicy(deps, agent)
  const wanted = input.readPolicy ?? (named === undefined ? own.policy : 'isolated')
  const policy = narrower(own.policy, wanted)
  return boundaryOf(deps, agent, { policy, group: narrowGroup(own, input.policyGroup) })
}

interface Policy {
  policy: ReadPolicy
  group: string | null
}

async function registeredPolicy(deps: Deps, agent: string): Promise<Policy> {
  const row = await deps.store.tables.agents.find(agent)
  return {
    policy: (row?.read_policy as ReadPolicy | undefined) ?? 'shared',
    group: row?.policy_group ?? null,
  }
}

async function boundaryOf(deps: Deps, agent: string, { policy, group }: Policy): Promise<ReadBoundary> {
  if (policy === 'shared') return { agents: [agent], globalOf: 'all' }
  if (policy === 'isolated' || group === null) return { agents: [agent], globalOf: [] }
  return { agents: [agent], globalOf: await deps.store.tables.agents.idsInGroup(group) }
}

const widths: readonly ReadPolicy[] = ['isolated', 'group', 'shared']

function narrower(own: ReadPolicy, wanted: ReadPolicy): ReadPolicy {
  return widths[Math.min(widths.indexOf(own), widths.indexOf(wanted))] as ReadPolicy
}

/** An agent with a group of its own stays in it; one that shares with all may narrow itself to any group. */
function narrowGroup(own: Policy, wanted: string | null | undefined): string | null {
  return own.policy === 'group' ? own.group : (wanted ?? own.group)
}
