import { sourceProducts } from '../../../contract/ground/wire-names.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatAge } from '../../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../../terminal/output.js'
import { clipText, displayWidth, plainLine } from '../../terminal/text.js'
import type { ShownSource } from './follow-source.js'

type IndexJob = NonNullable<ShownSource['indexJob']>
type Health = ShownSource['health']

/** How times and colours are shown. */
export interface SourceView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
}

/** What people call the kinds. */
const kindNames: Readonly<Record<ShownSource['kind'], string>> = { ...sourceProducts, import: 'import' }

/** Sources for pipes, a line each, tab-separated: id, kind, job, health, artifacts, last read, name, root, agent. */
export function sourceLines(sources: readonly ShownSource[]): string {
  return sources
    .map(({ id, kind, name, root, health, stats, indexJob, lastIndexedAt, agentId }) =>
      [
        id,
        kind,
        indexJob?.status ?? '',
        health.status,
        stats.artifacts,
        lastIndexedAt ?? '',
        plainLine(name),
        plainLine(root),
        agentId,
      ].join('\t'),
    )
    .join('\n')
}

/** Sources for people, in two lines each: their ids alone take half of a terminal. */
export function sourceTable(
  sources: readonly ShownSource[],
  { colors, now, columns, withAgents }: SourceView & { columns: number; withAgents: boolean },
): string {
  return sources
    .map(source => {
      const { id, kind, name, root, health, stats, indexJob: job, lastIndexedAt: at } = source
      const facts = [
        kindNames[kind],
        ...(withAgents ? [`of ${plainLine(source.agentId)}`] : []),
        job && job.status !== 'complete' ? `${job.status}, ${health.status}` : health.status,
        countOf(stats.artifacts, 'artifact'),
        at === null ? 'never read' : `read ${formatAge(at, now)}`,
      ].join(' · ')
      const room = Math.max(10, columns - displayWidth(facts) - 2)
      const head = `${colors.bold(clipText(plainLine(name), room))}  ${clipText(facts, columns - 12)}`
      return `${head}\n  ${colors.dim(clipText(`${id}  ${plainLine(root)}`, columns - 2))}`
    })
    .join('\n')
}

/** One source as lines of name and value, with its health in words. */
export function sourceText(source: ShownSource, { colors, now }: SourceView): string {
  const { id, kind, name, root, stats, indexJob, lastIndexedAt: at, excludeGlobs, health } = source
  const fields = formatFields(
    [
      ['id', id],
      ['kind', kindNames[kind]],
      ['name', plainLine(name)],
      ['place', plainLine(root)],
      ...(excludeGlobs.length > 0 ? [['left out', plainLine(excludeGlobs.join('  '))] as const] : []),
      ['artifacts', `${stats.artifacts} in ${countOf(stats.chunks, 'passage')}`],
      ['last read', at === null ? 'never' : `${at} (${formatAge(at, now)})`],
      ...(indexJob ? [['job', jobLine(indexJob)] as const] : []),
      ['health', health.status],
    ],
    colors,
  )
  const words = healthWords(source)
  const parts = [fields, ...(words.length > 0 ? [words.join('\n')] : [])]
  const faults = faultsText(health, colors)
  return [...parts, ...(faults ? [faults] : [])].join('\n\n')
}

/** What a job does, or how it ended, in one line. */
export function jobLine({
  status,
  statusMessage,
  scanned,
  total,
  indexed,
  pauseReason,
  resumeFrontier,
}: IndexJob): string {
  const looked = total === null ? `${scanned} looked at` : `${Math.min(scanned, total)} of ${total} looked at`
  const why = status === 'paused' && pauseReason ? ` (${pauseReason.replaceAll('_', ' ')})` : ''
  const where = status === 'paused' && resumeFrontier ? `, goes on at ${plainLine(resumeFrontier)}` : ''
  const message = statusMessage ? `: ${plainLine(statusMessage)}` : ''
  return `${status}${why}, ${looked}, ${indexed} taken${where}${message}`
}

/** What is to be known of the condition of a source, a sentence a line; nothing while all is well. */
export function healthWords({
  id,
  health,
  indexJob,
  stats,
}: Pick<ShownSource, 'id' | 'health' | 'indexJob' | 'stats'>): string[] {
  const { checkpoints, chunkCoverage, failures, permission, purge, notes, error } = health
  const missing = Math.round((1 - chunkCoverage) * stats.artifacts)
  const lasting = failures.total - failures.recoverable
  return [
    ...(error ? [plainLine(error)] : []),
    ...permission.issues.map(({ path, guidance }) => `${plainLine(path)}: ${plainLine(guidance)}`),
    ...(indexJob?.status === 'paused'
      ? [
          indexJob.pauseReason === 'requested'
            ? `Its reading is paused; memory sources resume ${id} goes on with it`
            : `Its reading is paused and goes on by itself; memory sources resume ${id} does so now`,
        ]
      : []),
    ...(missing > 0 ? [`${countOf(missing, 'artifact')} not found yet`] : []),
    ...(lasting > 0
      ? [`${lasting} will not be read until somebody changes ${lasting === 1 ? 'it' : 'them'}`]
      : []),
    ...(checkpoints.stale > 0 ? [`${countOf(checkpoints.stale, 'checkpoint')} not moved for a week`] : []),
    ...(purge.deletedArtifacts > 0
      ? [`${countOf(purge.deletedArtifacts, 'artifact')} being taken away`]
      : []),
    ...notes.map(plainLine),
  ]
}

function faultsText({ failures }: Health, colors: Colors): string {
  if (failures.total === 0) return ''
  const rows = failures.newest.map(({ path, message }) => [plainLine(path), plainLine(message)])
  const more = failures.total > rows.length ? `, the newest ${rows.length}` : ''
  const table = formatTable(['PATH', 'REASON'], rows, colors)
  return [colors.red(`${failures.total} not read${more}`), table].join('\n')
}

/** What a removal takes, and what it leaves. */
export function removalLines({ kind, name, root, stats }: ShownSource): string[] {
  return [
    `source     ${plainLine(name)} (${kindNames[kind]})`,
    kind === 'import' ? `file       ${plainLine(root)}` : `place      ${plainLine(root)} (it is not touched)`,
    `goes       ${countOf(stats.artifacts, 'artifact')} in ${countOf(stats.chunks, 'passage')}, with their vectors`,
    'stays      your memories, and what was concluded from the artifacts, marked as no longer supported',
  ]
}
