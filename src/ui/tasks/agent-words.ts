import type { Reply } from '../../contract/api.js'

export type Agent = Reply<'GET /api/agents'>['agents'][number]

/** What an agent reads beside its own memories. */
export function readsWhat({ read_policy: policy, policy_group: group }: Agent): string {
  if (policy === 'isolated') return 'nothing of others'
  return policy === 'shared' ? 'what all share' : `what ${group ?? 'its group'} shares`
}
