import type { DaemonState } from '../../../client/daemon/daemon-state.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { type Colors, formatDuration, formatFields, formatTable, onTerminal } from '../../terminal/output.js'
import { formatMs, plainLine } from '../../terminal/text.js'
import type { Supervision } from './supervisor/supervisor.js'

/** What `memory stats` tells: replies of the routes of analytics, as they are. */
export interface DaemonUse {
  usage: Reply<'GET /api/analytics/usage'>
  latency: Reply<'GET /api/analytics/latency'>
  errors: Reply<'GET /api/analytics/errors'>
  memorySafety: Reply<'GET /api/analytics/memory-safety'>
  continuity: Reply<'GET /api/analytics/continuity'>
  /** The newest score of each project. */
  projects: Reply<'GET /api/analytics/continuity/latest'>['scores']
}

interface Shown {
  colors: Colors
  now: number
  /** Each endpoint that was asked as well. */
  endpoints: boolean
}

const shownProjects = 10

/** The state of a daemon for a person, several lines. @param supervision who starts it, where somebody does. */
export function daemonText(state: DaemonState, colors: Colors, supervision?: Supervision): string {
  const { running, ready, pid, version, url, uptime, workspace, problem } = state
  if (!running) {
    const word = problem ? colors.red('not available') : colors.yellow('not running')
    return [
      `${word}  ${colors.dim(workspace)}`,
      ...(problem ? [problem] : ['Commands start it when they need it.']),
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
  const runs = active ? `runs it as ${unit}` : `${unit} does not run: memory daemon restart starts it by that`
  return current ? runs : `${runs}; written by another installation: memory daemon install`
}

/** Use, latencies, what went wrong and how much of what sessions were shown they used. */
export function daemonUseText(stats: DaemonUse, { colors, now, endpoints }: Shown): string {
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
      : `${mutation.count}, ${someOf(mutation.errors)} failed; ${warningsOf(errorSummary.total)} of memory, storage or index`
  return [
    ['counted', `since the daemon started, ${formatAge(usage.since, now)}`],
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
        ? 'no session was given anything yet'
        : `${countOf(injected.starts, 'session start')} and ${countOf(injected.prompts, 'prompt')} were given about ${injected.tokens} tokens`,
    ],
    ['changes', changes],
    ['continuity', continuityText(continuity)],
  ]
}

function warningsOf(count: number): string {
  return count === 0 ? 'no warning' : countOf(count, 'warning')
}

function someOf(count: number): string {
  return count === 0 ? 'none' : String(count)
}

function continuityText({ summary }: DaemonUse['continuity']): string {
  const { count, average, latest, trend } = summary
  if (average === null || latest === null) return 'no session with a score yet'
  const rising = trend === null ? '' : `, trend ${trend < 0 ? '' : '+'}${trend.toFixed(2)}`
  return `${average.toFixed(2)} of what sessions were shown was used (${countOf(count, 'session')}, newest ${latest.toFixed(2)}${rising})`
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
      score.toFixed(2),
      formatShortAge(created_at, now),
      plainLine(project ?? 'no project'),
    ])
  return formatTable(['newest', 'age', 'project'], rows, colors)
}
