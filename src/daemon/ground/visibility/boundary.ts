import { AppError } from '../../../contract/ground/errors.js'
import type { ReadPolicy } from '../../../contract/memory/memory.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { quoted } from '../../../lib/text/clip.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Ground } from '../ground.js'
import { sessionKeyOf } from '../sessions/session-key.js'
import { type AccessScope, type Caller, defaultAgent } from './caller.js'

type Deps = Pick<Ground, 'store'>

export interface NamedAgent {
  agentId?: string | null | undefined
  agent_id?: string | null | undefined
}

/** Request fields that a credential may be limited to. */
interface ScopedFields extends NamedAgent {
  project?: string | null | undefined
  who?: string | null | undefined
}

/**
 * The agent a request names, in its own field or in the caller's headers; undefined if it names none.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
export function agentOf(caller: Caller, input: NamedAgent | undefined): string | undefined {
  const named = input?.agentId ?? input?.agent_id
  assertInScope(caller.access.scope, 'agent', named)
  return named ?? caller.agentId
}

/**
 * The boundary of an agent's registered policy; an unknown agent gets `shared`, like a new one (rules.md
 * 4.4).
 * @throws AppError `scope_violation` if the credential excludes a named value (security.md 5.4).
 */
export async function readBoundary(deps: Deps, caller: Caller, input?: ScopedFields): Promise<ReadBoundary> {
  const agent = agentOf(caller, input) ?? (await agentOfSession(deps, caller)) ?? defaultAgent
  const only = confinedTo(caller, input)
  return { ...(await agentBoundary(deps, agent)), ...only }
}

/** The agent of the session in the caller's header, for requests without an agent (rules.md 4.4). */
async function agentOfSession({ store }: Deps, { sessionKey }: Caller): Promise<string | undefined> {
  if (sessionKey === undefined) return undefined
  const session = await store.tables.sessions.byKey(sessionKeyOf(sessionKey), defaultAgent)
  return session?.agent_id
}

/** The boundary of an agent's registered policy, for background work without a request. */
export async function agentBoundary(deps: Deps, agent: string): Promise<ReadBoundary> {
  return boundaryOf(deps, agent, await registeredPolicy(deps, agent))
}

/**
 * The agent's own memories, within the limits of the credential. Facts about entities are drawn from and
 * shown for these only, whatever else the agent may read (knowledge.md#who-reads-what).
 * @throws AppError `scope_violation` if the credential excludes a named value.
 */
export function ownBoundary(caller: Caller, agentId: string, input?: ScopedFields): ReadBoundary {
  return { agents: [agentId], globalOf: [], ...confinedTo(caller, input) }
}

/** Limits every read to the credential's project or author. */
function confinedTo(
  { access: { scope } }: Caller,
  input: ScopedFields | undefined,
): Pick<ReadBoundary, 'only'> | undefined {
  if (scope.project === undefined && scope.user === undefined) return undefined
  assertInScope(scope, 'project', input?.project)
  assertInScope(scope, 'user', input?.who)
  return { only: { project: scope.project, projectKeys: scope.projectKeys, who: scope.user } }
}

/**
 * The boundary of a recall. Isolated if an agent is named without a policy (recall.md 1.3.2); a requested
 * policy may narrow the agent's own policy, never widen it.
 */
export async function recallBoundary(
  deps: Deps,
  caller: Caller,
  input: ScopedFields & {
    readPolicy?: ReadPolicy | null | undefined
    policyGroup?: string | null | undefined
  },
): Promise<ReadBoundary> {
  const named = agentOf(caller, input)
  const agent = named ?? defaultAgent
  const only = confinedTo(caller, input)
  const own = await registeredPolicy(deps, agent)
  const unnamed = input.policyGroup ? 'group' : own.policy
  const wanted = input.readPolicy ?? (named === undefined ? unnamed : 'isolated')
  const policy = narrower(own.policy, wanted)
  const group = narrowGroup(own, input.policyGroup)
  return { ...(await boundaryOf(deps, agent, { policy, group })), ...only }
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

/** An agent limited to its group can read no other group; a `shared` agent may choose any. */
function narrowGroup(own: Policy, wanted: string | null | undefined): string | null {
  if (!wanted || own.policy !== 'group') return wanted ?? own.group
  return wanted === own.group ? wanted : null
}

/**
 * Restricts a read to the caller's project and to memories without a project, unless the request names a
 * project (projects.md#recall). A caller without a project reads memories without one. Isolated branches hide
 * those of others, unless the request names a branch (projects.md#branches).
 */
export async function nearOf(
  { projects }: Pick<Ground, 'projects'>,
  { project, repository }: Pick<Caller, 'project' | 'repository'>,
  named: { project?: string | null | undefined; branch?: string | null | undefined },
): Promise<Pick<MemoryFilter, 'project' | 'orNoProject' | 'branches'>> {
  const branches = named.branch ? undefined : await projects.branches.filterFor(project, repository)
  const near =
    named.project || project === undefined
      ? {}
      : { ...(project !== null && { project }), orNoProject: true as const }
  return { ...near, ...(branches && { branches }) }
}

/**
 * Refuses a request for a value outside its credential's scope (security.md 5.4).
 * @throws AppError `scope_violation`
 */
export function assertInScope(
  scope: AccessScope,
  field: keyof Scope,
  value: string | null | undefined,
): void {
  const confined = scope[field]
  if (confined === undefined || value === null || value === undefined || value === confined) return
  if (field === 'project' && scope.projectKeys?.includes(value)) return
  throw new AppError(
    'scope_violation',
    `this credential is limited to another ${field} than ${quoted(value)}`,
  )
}
