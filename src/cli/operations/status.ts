import { formatOrigin } from '../../client/http/origin.js'
import type { Reply } from '../../contract/api.js'
import type { HealthFigure } from '../../contract/operations/diagnostics-domains.js'
import { remedyOf } from '../../lib/files/storage-fault.js'
import { countOf, formatBytes } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { nodeStates } from '../../lib/text/node-states.js'
import { type Colors, formatDuration, formatFields } from '../terminal/output.js'
import { modeText } from './pipeline.js'

export type StatusReply = Reply<'GET /api/status'>

/** Formats the state of the daemon for a person, with its health. */
export function statusText(status: StatusReply, colors: Colors): string {
  const { health } = status
  return [
    stateText(status, colors, [['health', healthText(health, colors)]]),
    ...storageLines(status, colors),
    ...warningLines(health.warnings, colors),
    ...waitingLines(health.waiting, colors),
  ].join('\n')
}

/** Formats what is stored, the state of index, model and daemon, and the daemons that share the database. */
export function stateText(
  status: StatusReply,
  colors: Colors,
  first: ReadonlyArray<readonly [string, string]> = [],
): string {
  const { version, pid, uptime, host, port, workspace, pipeline, index, memories } = status
  // A daemon of an older release does not report it.
  const { storage } = status as { storage?: StatusReply['storage'] }
  const frozen = pipeline.mutationsFrozen ? colors.yellow(' (writes are frozen)') : ''
  return formatFields(
    [
      ...first,
      ['memories', `${memories}${frozen}`],
      ['background', modeText(pipeline.mode)],
      [
        'index',
        `${index.state}, ${countOf(index.documents, 'entry', 'entries')}, ${countOf(index.vectors, 'vector')}, ${formatBytes(index.bytes)}${lagText(index, colors)}`,
      ],
      ['embedding', embeddingText(status.embedding)],
      [
        'daemon',
        `${version}, pid ${pid}, up ${formatDuration(uptime)}, ${formatOrigin({ protocol: 'http:', host, port })}`,
      ],
      ['workspace', workspace],
      ...(storage?.server ? [['stored in', `PostgreSQL, ${storage.server}`] as const] : []),
      ...nodeRows(status, colors),
    ],
    colors,
  )
}

/** Describes storage problems; a daemon of an older release does not report them. */
function storageLines({ storage }: { storage?: StatusReply['storage'] }, colors: Colors): string[] {
  const { problem, damage = [] } = storage ?? {}
  return [
    ...(problem
      ? [`${colors.red('disk')}: ${problem}; memories can be read but not saved; ${remedyOf(problem)}`]
      : []),
    ...(damage.length > 0
      ? [`${colors.red('database')}: damaged (${damage[0]}). Remedy: memory health`]
      : []),
  ]
}

function lagText({ behindSeconds }: StatusReply['index'], colors: Colors): string {
  return behindSeconds === undefined ? '' : colors.yellow(`, ${behindSeconds} s behind other daemons`)
}

/**
 * Formats the daemons that share a database, each with its work in a row below. Other daemons tell how far
 * they are every ten seconds, so a lag is as old as that.
 */
export function nodeRows(
  { nodes = [], index }: Pick<StatusReply, 'nodes' | 'index'>,
  colors: Colors,
  now = Date.now(),
): (readonly [string, string])[] {
  const isMixed = new Set(nodes.map(({ version }) => version)).size > 1
  return nodeStates(nodes, index.change, now).flatMap(node => {
    const { name, version, url, behind, silentMs, isSilent, stoppingSince, jobs, duties } = node
    const seen = `${Math.max(0, Math.round(silentMs / 1000))} s ago`
    const lag = behind === 0 ? '' : `, index ${countOf(behind, 'change')} behind ${seen}`
    const silence = isSilent ? colors.yellow(`, last seen ${seen}`) : ''
    const stopping = stoppingSince === undefined ? '' : colors.yellow(', stopping')
    const running = jobs === 0 ? '' : `, ${countOf(jobs, 'job')}`
    const shown = isMixed ? colors.yellow(version) : version
    const row = ['node', `${name}, ${shown}, ${url}${stopping}${running}${silence || lag}`] as const
    return duties.length > 0 ? [row, ['', `does ${duties.join(', ')}`] as const] : [row]
  })
}

/**
 * Formats state, provider and model in one line, with the number of memories without a vector and the error.
 */
function embeddingText(embedding: StatusReply['embedding']): string {
  const { state, provider, model, dimensions, withoutVector, error, progress } = embedding
  if (state === 'off') return 'off (keyword recall only)'
  const size = dimensions ? `, ${dimensions} dimensions` : ''
  const waiting =
    withoutVector > 0 ? `, ${countOf(withoutVector, 'memory', 'memories')} without a vector` : ''
  const loaded = progress ? `, ${progressText(progress)}` : ''
  return `${state}, ${provider} ${model}${size}${waiting}${loaded}${error ? `: ${error}` : ''}`
}

/** @returns for example `12.0 MiB of 22.1 MiB`. */
export function progressText(progress: { loadedBytes: number; totalBytes: number | null }): string {
  const total = progress.totalBytes === null ? '' : ` of ${formatBytes(progress.totalBytes)}`
  return `${formatBytes(progress.loadedBytes)}${total}`
}

/** Formats the figure of health, for example `degraded, 79 %`, with the parts that lower it. */
export function healthText(
  { status, score, parts }: Pick<HealthFigure, 'score' | 'status' | 'parts'>,
  colors: Colors,
): string {
  const lowered = (parts ?? []).filter(part => part.score < 1)
  const names = lowered.map(part => `${labelOf('domain', part.domain).toLowerCase()} ${percent(part.score)}`)
  const why = names.length > 0 ? colors.dim(` (${names.join(', ')})`) : ''
  return `${colors[healthColor(status)](`${status}, ${percent(score)}`)}${why}`
}

/** @returns for example `79 %` */
export function percent(score: number): string {
  return `${Math.round(100 * score)} %`
}

/** Formats warnings with their commands; a daemon of an older release does not report them. */
function warningLines(warnings: HealthFigure['warnings'] | undefined, colors: Colors): string[] {
  return (warnings ?? []).flatMap(({ severity, evidence, fix }) => [
    `${severity === 'error' ? colors.red('error') : colors.yellow('warn ')}       ${evidence}`,
    ...(fix ? [`            ${colors.dim('fix:')} ${fix}`] : []),
  ])
}

/** Formats what waits for a decision of a person, each line with the command that shows it. */
export function waitingLines(waiting: HealthFigure['waiting'], colors: Colors): string[] {
  return (waiting?.items ?? []).map(
    ({ text, command }) => `${colors.cyan('waits')}       ${text}: ${command}`,
  )
}

function healthColor(status: StatusReply['health']['status']): 'green' | 'yellow' | 'red' {
  return status === 'healthy' ? 'green' : status === 'degraded' ? 'yellow' : 'red'
}
