import type { Reply } from '../../contract/api.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { formatMs, plainLine } from '../terminal/text.js'
import { describedTable, type ListView } from './described-table.js'

/** Formats installed skills; in a pipe name, version and description. */
export function skillTable({ skills }: Reply<'GET /api/skills'>, view: ListView): string {
  const rows = skills.map(({ name, version, description }) => [name, version ?? '-', description])
  return describedTable(['SKILL', 'VERSION', 'DESCRIPTION'], rows, view)
}

/** Formats search results of the registry; in a pipe name, source, installed or not, and description. */
export function foundTable({ results }: Reply<'GET /api/skills/search'>, view: ListView): string {
  const rows = results.map(({ name, source, installed, description, installs }) => [
    name,
    source ?? '-',
    installed ? 'installed' : '-',
    description || (installs === null ? '' : `installed ${installs} times`),
  ])
  return describedTable(['SKILL', 'SOURCE', 'INSTALLED', 'DESCRIPTION'], rows, view)
}

/** Formats the metadata of a skill, shown before its text. */
export function skillFields(skill: Reply<'GET /api/skills/:name'>, colors: Colors): string {
  const { name, version, author, license, user_invocable, arg_hint, path, problems, files, fileCount } = skill
  const more = fileCount - files.length
  return formatFields(
    [
      ['skill', name],
      ['version', plainLine(version ?? '-')],
      ['author', plainLine(author ?? '-')],
      ['license', plainLine(license ?? '-')],
      ['slash command', user_invocable ? `/${name}${arg_hint ? ` ${plainLine(arg_hint)}` : ''}` : 'none'],
      ['folder', path],
      ['files', [...files.map(plainLine), ...(more > 0 ? [`${more} more`] : [])].join(', ')],
      ...problems.map(problem => [colors.yellow('problem'), plainLine(problem)] as const),
    ],
    colors,
  )
}

/** Formats usage statistics of skills; in a pipe only rows of name, uses, successes, average milliseconds. */
export function usageText(
  { totalCalls, successRate, topSkills, latency }: Reply<'GET /api/skills/analytics'>,
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  if (tabs) {
    const rows = topSkills.map(one => [one.skillName, one.count, one.successCount, one.avgLatencyMs])
    return rows.map(row => row.join('\t')).join('\n')
  }
  const rows = topSkills.map(({ skillName, count, successCount, avgLatencyMs }) => [
    plainLine(skillName),
    String(count),
    percent(successCount / count),
    avgLatencyMs === 0 ? '-' : formatMs(avgLatencyMs),
  ])
  const percentiles =
    latency.p95 === 0 ? '' : `, latency p50 ${formatMs(latency.p50)}, p95 ${formatMs(latency.p95)}`
  return [
    formatTable(['SKILL', 'USES', 'SUCCESS', 'AVERAGE'], rows, colors),
    '',
    `${totalCalls} uses, ${percent(successRate)} successful${percentiles}`,
  ].join('\n')
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
