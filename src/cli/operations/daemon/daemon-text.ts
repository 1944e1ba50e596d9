import type { DaemonState } from '../../../client/daemon/daemon-state.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { type Colors, formatDuration, formatFields, formatTable, onTerminal } from '../../terminal/output.js'
import { formatMs, plainLine } from '../../terminal/text.js'
import type { Supervision } from './supervisor/supervisor.js'

/** Replies of the analytics endpoints, for `memory stats`. */
export interface DaemonUse {
  usage: Reply<'GET /api/analytics/usage'>
  latency: Reply<'GET /api/analytics/latency'>
  errors: Reply<'GET /api/analytics/errors'>
  memorySafety: Reply<'GET /api/analytics/memory-safety'>
  continuity: Reply<'GET /api/analytics/continuity'>
  /** The latest score of each project. */
  projects: Reply<'GET /api/analytics/continuity/latest'>['scores']
}

interface ViewOptions {
  colors: Colors
  now: number
  /** Shows the called endpoints too. */
  endpoints: boolean
}

const shownProjects = 10

/** Formats the state of a daemon in several lines. @param supervision its supervisor, if it has one. */
export function daemonText(state: DaemonState, colors: Colors, supervision?: Supervision): string {
  const { running, ready, pid, version, url, uptime, workspace, problem } = state
  if (!running) {
    const word = problem ? colors.red('not available') : colors.yellow('not running')
    return [
      `${word}  ${colors.dim(workspace)}`,
      ...(problem ? [problem] : ['Commands start it when needed.']),
      ...(supervision ? [`${supervision.name}: ${supervisionText(supervision)}`] : []),
    ].join('\n')
  }
  return formatFields(
    [
      ['daemon', ready ? colors.green('running') : colors.yellow('running, still loading')],
      ['url', url ?? ''],
      ['pid', String(pid)],
      ['version', version ?? ''],
      ['uptime', formatDuration(uptime ?? 0)],
      ['workspace', workspace],
      ...(supervision ? [[supervision.name, supervisionText(supervision)] as const] : []),
    ],
    colors,
  )
}

function supervisionText({ unit, active, current }: Supervision): string {
  const runs = active ? `runs it as ${unit}` : `${unit} is stopped. Start it: memory daemon restart`
  return current
    ? runs
    : `${runs}; its file comes from another installation. Update it: memory daemon install`
}

/** Formats usage, latencies, errors and the share of shown memories that sessions used. */
export function daemonUseText(stats: DaemonUse, { colors, now, endpoints }: ViewOptions): string {
  const parts = [
    formatFields(usageFields(stats, now), colors),
    latencyTable(stats.latency, colors),
    ...(endpoints ? [endpointTable(stats.usage, colors)] : []),
    errorLines(stats.errors, colors, now),
    projectTable(stats, colors, now),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

function usageFields({ usage, memorySafety, continuity }: DaemonUse, now: number): [string, string][] {
  const { requests, memory, injected } = usage
  const { mutation, errorSummary } = memorySafety
  const changes =
    mutation.count === 0
      ? 'none yet'
      : `${mutation.count}, ${someOf(mutation.errors)} failed; ${warningsOf(errorSummary.total)} from memory, storage or index`
  return [
    ['since', `daemon start, ${formatAge(usage.since, now)}`],
    [
      'requests',
      `${requests.total}, ${someOf(requests.byStatus['4xx'])} refused, ${someOf(requests.byStatus['5xx'])} failed`,
    ],
    [
      'memories',
      `${memory.remembered} saved, ${countOf(memory.recalled, 'recall')}, ${memory.modified} changed, ${memory.forgotten} forgotten, ${memory.recovered} recovered`,
    ],
    [
      'context',
      injected.tokens === 0
        ? 'nothing injected into sessions yet'
        : `${countOf(injected.starts, 'session start')} and ${countOf(injected.prompts, 'prompt')}: about ${injected.tokens} tokens injected`,
    ],
    ['changes', changes],
    ['continuity', continuityText(continuity)],
  ]
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function warningsOf(count: number): string {
  return count === 0 ? 'no warnings' : countOf(count, 'warning')
}

function someOf(count: number): string {
  return count === 0 ? 'none' : String(count)
}

function continuityText({ summary }: DaemonUse['continuity']): string {
  const { count, average, latest, trend } = summary
  if (average === null || latest === null) return 'no scored session yet'
  const rising = trend === null ? '' : `, trend ${trend < 0 ? '' : '+'}${percent(trend)}`
  return `sessions used ${percent(average)} of the memories they were shown (${countOf(count, 'session')}, latest ${percent(latest)}${rising})`
}

function latencyTable(latency: DaemonUse['latency'], colors: Colors): string {
  const ms = (value: number | null): string => (value === null ? '-' : formatMs(value))
  const rows = (['remember', 'recall', 'mutate'] as const).map(group => {
    const { count, p50, p95, p99 } = latency[group]
    return [group, String(count), ms(p50), ms(p95), ms(p99)]
  })
  return formatTable(['latency', 'requests', 'p50', 'p95', 'p99'], rows, colors)
}

function endpointTable({ endpoints }: DaemonUse['usage'], colors: Colors): string {
  if (endpoints.length === 0) return ''
  const rows = endpoints.map(({ method, route, count, errors, averageMs }) => [
    String(count),
    String(errors),
    formatMs(averageMs),
    `${method} ${route}`,
  ])
  const table = formatTable(['requests', 'errors', 'mean', 'endpoint'], rows, colors)
  return table.split('\n').flatMap(onTerminal).join('\n')
}

function errorLines({ errors, summary }: DaemonUse['errors'], colors: Colors, now: number): string {
  if (summary.total === 0) return colors.dim('no warnings, no errors')
  const stages = Object.entries(summary.byStage)
    .sort(([, a], [, b]) => b - a)
    .map(([stage, count]) => `${stage} ${count}`)
  const lines = errors.map(
    ({ at, stage, message }) => `  ${formatShortAge(at, now)}  ${stage}  ${plainLine(message)}`,
  )
  const head = `${colors.yellow(countOf(summary.total, 'warning or error', 'warnings and errors'))}: ${stages.join(', ')}`
  return [head, ...lines].flatMap(onTerminal).join('\n')
}

function projectTable({ projects }: DaemonUse, colors: Colors, now: number): string {
  if (projects.length === 0) return ''
  const rows = projects
    .slice(0, shownProjects)
    .map(({ project, score, created_at }) => [
      percent(score),
      formatShortAge(created_at, now),
      plainLine(project ?? 'no project'),
    ])
  return formatTable(['used', 'age', 'project'], rows, colors)
}
