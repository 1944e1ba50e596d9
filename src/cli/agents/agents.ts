import { Flags } from '@oclif/core'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

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

export type ShownAgent = Reply<'GET /api/agents/:name'>

/** The roster as a table; `tabs` gives tab-separated fields for pipes: name, policy, group, time of its last change. */
export function agentTable(
  agents: Reply<'GET /api/agents'>['agents'],
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const rows = agents.map(({ name, read_policy, policy_group, updated_at }) => [
    plainLine(name),
    read_policy,
    plainLine(policy_group ?? '-'),
    tabs ? updated_at : formatShortAge(updated_at, now),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['AGENT', 'READS', 'GROUP', 'CHANGED'], rows, colors)
}

/** One agent as lines of name and value, with what there is of it where that was asked for. */
export function agentText(agent: ShownAgent, { colors, now }: { colors: Colors; now: number }): string {
  return formatFields(
    [
      ['agent', plainLine(agent.name)],
      ['reads', readsWhat(agent)],
      ['group', plainLine(agent.policy_group ?? '-')],
      ['since', `${agent.created_at} (${formatAge(agent.created_at, now)})`],
      ...(agent.counts ? kinds(agent.counts) : []),
    ],
    colors,
  )
}

function readsWhat({ read_policy, policy_group }: ShownAgent): string {
  if (read_policy === 'isolated') return 'its own memories (isolated)'
  if (read_policy === 'shared') return 'its own memories and what any agent shares (shared)'
  return `its own memories and what agents of ${plainLine(policy_group ?? '')} share (group)`
}

type Counts = NonNullable<ShownAgent['counts']>

function kinds(counts: Counts): [string, string][] {
  const { memories, shared, held, archived } = counts
  const passing = shared > 0 ? `, ${shared} of them held by others too` : ''
  return [
    ['memories', `${memories}${passing}`],
    ...(held > 0 ? [['beside others', String(held)] as [string, string]] : []),
    ...(archived > 0 ? [['archived', String(archived)] as [string, string]] : []),
    ...otherKinds(counts).map(([name, count]) => [name, String(count)] as [string, string]),
  ]
}

function otherKinds({
  sessions,
  transcripts,
  summaries,
  messages,
  entities,
  documents,
}: Counts): [string, number][] {
  return [
    ['sessions', sessions],
    ['transcripts', transcripts],
    ['summaries', summaries],
    ['documents', documents],
    ['messages', messages],
    ['entities', entities],
  ]
}

/** What a removal would do, one line a kind. */
export function removalText({ name, counts }: ShownAgent, purge: boolean): string[] {
  if (!counts) return []
  const { memories, shared, held, archived } = counts
  const own = memories - shared
  const going = (count: number) => countOf(count, 'memory', 'memories')
  const kept = shared + held
  const lines = [
    `${going(own)} of ${plainLine(name)} ${purge ? 'deleted for good' : 'archived: nobody reads them any more'}`,
    ...(kept > 0 ? [`${going(kept)} that others hold too stay theirs`] : []),
  ]
  if (!purge) return lines
  const others = otherKinds(counts).filter(([, count]) => count > 0)
  return [
    ...lines,
    ...(archived > 0 ? [`${going(archived)} archived earlier deleted for good`] : []),
    ...others.map(([kind, count]) => `${count} ${kind} deleted for good`),
  ]
}
