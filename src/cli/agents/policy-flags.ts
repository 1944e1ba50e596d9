import { Flags } from '@oclif/core'

const policies = ['isolated', 'shared', 'group'] as const

/** What an agent may read, as `create` and `edit` take it. */
export const policyFlags = {
  policy: Flags.option({
    summary: 'What it reads beside its own memories: nothing, what all share, or what its group shares.',
    options: policies,
  })(),
  group: Flags.string({
    summary: 'The group that it belongs to; --policy group reads what its agents share.',
  }),
}
