import { Flags } from '@oclif/core'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

const policies = ['isolated', 'shared', 'group'] as const

/** Flags of `create` and `edit` for an agent's read policy. */
export const policyFlags = {
  policy: Flags.option({
    summary:
      'Which other memories it can read: none, those shared by all agents, or those shared by its group.',
    options: policies,
  })(),
  group: Flags.string({
    summary: 'Group of the agent; --policy group reads the memories shared within it.',
  }),
}

export type ShownAgent = Reply<'GET /api/agents/:name'>

/**
 * Formats the agents as a table. `tabs` gives tab-separated fields for pipes: name, policy, group, last
 * change.
 */
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

/** Formats one agent as lines of name and value, with counts of its data if requested. */
export function agentText(agent: ShownAgent, { colors, now }: { colors: Colors; now: number }): string {
  return formatFields(
    [
      ['agent', plainLine(agent.name)],
      ['reads', readPolicyText(agent)],
      ['group', plainLine(agent.policy_group ?? '-')],
      ['since', `${agent.created_at} (${formatAge(agent.created_at, now)})`],
      ...(agent.counts ? memoryCounts(agent.counts) : []),
    ],
    colors,
  )
}

function readPolicyText({ read_policy, policy_group }: ShownAgent): string {
  if (read_policy === 'isolated') return 'its own memories (isolated)'
  if (read_policy === 'shared') return 'its own memories and those shared by all agents (shared)'
  return `its own memories and those shared by group ${plainLine(policy_group ?? '')} (group)`
}

type Counts = NonNullable<ShownAgent['counts']>

function memoryCounts(counts: Counts): [string, string][] {
  const { memories, shared, held, archived } = counts
  const alsoSaved = shared > 0 ? `, ${shared} also saved by other agents` : ''
  return [
    ['memories', `${memories}${alsoSaved}`],
    ...(held > 0 ? [['saved again', String(held)] as [string, string]] : []),
    ...(archived > 0 ? [['archived', String(archived)] as [string, string]] : []),
    ...otherCounts(counts).map(([name, count]) => [name, String(count)] as [string, string]),
  ]
}

function otherCounts({
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

/** Describes the effects of a removal, one line per kind of data. */
export function removalText({ name, counts }: ShownAgent, purge: boolean): string[] {
  if (!counts) return []
  const { memories, shared, held, archived } = counts
  const own = memories - shared
  const memoriesText = (count: number) => countOf(count, 'memory', 'memories')
  const kept = shared + held
  const lines = [
    `${memoriesText(own)} of ${plainLine(name)} ${purge ? 'deleted permanently' : 'archived and no longer readable'}`,
    ...(kept > 0 ? [`${memoriesText(kept)} also saved by other agents, kept for them`] : []),
  ]
  if (!purge) return lines
  const others = otherCounts(counts).filter(([, count]) => count > 0)
  return [
    ...lines,
    ...(archived > 0 ? [`${memoriesText(archived)} archived earlier deleted permanently`] : []),
    ...others.map(([kind, count]) => `${count} ${kind} deleted permanently`),
  ]
}
