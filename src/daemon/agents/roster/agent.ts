import type { Agent } from '../../../contract/agents/roster.js'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { ReadPolicy } from '../../../contract/memory/memory.js'
import { quoted } from '../../../lib/text/clip.js'
import type { AgentRow } from '../../../store/tables/agents/agents.js'
import type { Tables } from '../../../store/tables/tables.js'
import { defaultAgent } from '../../ground/visibility/caller.js'

export function toAgent({ id, name, read_policy, policy_group, created_at, updated_at }: AgentRow): Agent {
  return { id, name, read_policy: read_policy as ReadPolicy, policy_group, created_at, updated_at }
}

/**
 * Finds an agent of the roster. The default agent, used when a request names none, always exists: it reads
 * like a newly seen agent until it gets a policy.
 */
export async function findAgent(
  { agents }: Pick<Tables, 'agents'>,
  name: string,
): Promise<Agent | undefined> {
  const row = await agents.find(name)
  if (row) return row.removal === null ? toAgent(row) : undefined
  return name === defaultAgent ? implicitDefaultAgent({ agents }) : undefined
}

export async function implicitDefaultAgent({ agents }: Pick<Tables, 'agents'>): Promise<Agent> {
  const since = await agents.since()
  const identity = { id: defaultAgent, name: defaultAgent }
  return { ...identity, read_policy: 'shared', policy_group: null, created_at: since, updated_at: since }
}

/**
 * The error for an unknown name. A name with a slash is most likely a misplaced path and gets its own
 * message.
 */
export function agentNotFound(name: string): AppError {
  if (/[\p{C}/\\]/u.test(name))
    return new AppError('validation_failed', `${quoted(name)} is not a valid agent name`, [
      { path: 'name', message: 'must not contain slashes, backslashes or control characters' },
    ])
  return notFound(`agent ${quoted(name)} not found`, 'list agents with memory agents list (GET /api/agents)')
}

/**
 * @throws AppError `validation_failed` for the policy `group` without a group: it would behave like
 * `isolated`.
 */
export function assertGroup(policy: ReadPolicy, group: string | null): void {
  if (policy !== 'group' || group !== null) return
  throw new AppError(
    'validation_failed',
    'read_policy group needs a policy_group: the group whose memories the agent reads',
    [{ path: 'policy_group', message: 'is required for read_policy group' }],
  )
}
