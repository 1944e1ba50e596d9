import type { Agent } from '../../../contract/agents/roster.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { ReadPolicy } from '../../../contract/memory/memory.js'
import { quoted } from '../../../lib/text/clip.js'
import type { AgentRow } from '../../../store/tables/agents/agents.js'
import type { Tables } from '../../../store/tables/tables.js'
import { defaultAgent } from '../../ground/visibility/caller.js'

export function toAgent({ id, name, read_policy, policy_group, created_at, updated_at }: AgentRow): Agent {
  return { id, name, read_policy: read_policy as ReadPolicy, policy_group, created_at, updated_at }
}

/**
 * An agent of the roster; undefined when there is none. The one of those who name no agent is always there: it reads
 * as a first-seen one does until somebody gives it a policy.
 */
export async function findAgent(
  { agents }: Pick<Tables, 'agents'>,
  name: string,
): Promise<Agent | undefined> {
  const row = await agents.find(name)
  if (row) return row.removal === null ? toAgent(row) : undefined
  return name === defaultAgent ? unnamedAgent({ agents }) : undefined
}

export async function unnamedAgent({ agents }: Pick<Tables, 'agents'>): Promise<Agent> {
  const since = await agents.since()
  const identity = { id: defaultAgent, name: defaultAgent }
  return { ...identity, read_policy: 'shared', policy_group: null, created_at: since, updated_at: since }
}

/** For a name that is in no roster: one that holds a slash is most likely a path that went astray. */
export function noAgent(name: string): AppError {
  if (/[\p{C}/\\]/u.test(name))
    return new AppError('validation_failed', `${quoted(name)} is no name of an agent`, [
      { path: 'name', message: 'must not contain slashes, backslashes or control characters' },
    ])
  return new AppError(
    'not_found',
    `there is no agent ${quoted(name)}; memory agents list shows the roster (GET /api/agents)`,
  )
}

/** @throws AppError `validation_failed` for the policy `group` without a group: it would read like `isolated`. */
export function assertGroup(policy: ReadPolicy, group: string | null): void {
  if (policy !== 'group' || group !== null) return
  throw new AppError('validation_failed', 'read_policy group needs a policy_group: whose memories to read', [
    { path: 'policy_group', message: 'is required for read_policy group' },
  ])
}
