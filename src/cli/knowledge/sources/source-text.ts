import { sourceProducts } from '../../../contract/ground/wire-names.js'
import { countOf } from '../../../lib/text/count-of.js'
import { formatAge } from '../../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../../terminal/output.js'
import { clipText, displayWidth, plainLine } from '../../terminal/text.js'
import type { ShownSource } from './follow-source.js'

type IndexJob = NonNullable<ShownSource['indexJob']>
type Health = ShownSource['health']

export interface SourceView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
}

/** Display names of the source kinds. */
const kindNames: Readonly<Record<ShownSource['kind'], string>> = { ...sourceProducts, import: 'import' }

/**
 * Formats sources for pipes, one per line, tab-separated: id, kind, job, health, artifacts, last read, name,
 * root, agent.
 */
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

/** Formats sources for people, in two lines each, because an id alone fills half of a terminal. */
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
        ...(kind === 'import'
          ? ['imported']
          : [
              countOf(stats.artifacts, 'artifact'),
              at === null ? 'never synced' : `synced ${formatAge(at, now)}`,
            ]),
      ].join(' · ')
      const room = Math.max(10, columns - displayWidth(facts) - 2)
      const head = `${colors.bold(clipText(plainLine(name), room))}  ${clipText(facts, columns - 12)}`
      return `${head}\n  ${colors.dim(clipText(`${id}  ${plainLine(root)}`, columns - 2))}`
    })
    .join('\n')
}

/** Formats one source as lines of name and value, with its health in words. */
export function sourceText(source: ShownSource, { colors, now }: SourceView): string {
  const { id, kind, name, root, stats, indexJob, lastIndexedAt: at, excludeGlobs, health } = source
  const fields = formatFields(
    [
      ['id', id],
      ['kind', kindNames[kind]],
      ['name', plainLine(name)],
      ['location', plainLine(root)],
      ...(excludeGlobs.length > 0 ? [['excluded', plainLine(excludeGlobs.join('  '))] as const] : []),
      ['artifacts', `${stats.artifacts} in ${countOf(stats.chunks, 'passage')}`],
      ...(kind === 'import'
        ? []
        : [['last sync', at === null ? 'never' : `${at} (${formatAge(at, now)})`] as const]),
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

/** Describes the state or outcome of a job in one line. */
export function jobLine({
  status,
  statusMessage,
  scanned,
  total,
  indexed,
  pauseReason,
  resumeFrontier,
}: IndexJob): string {
  const checked = total === null ? `${scanned} checked` : `${Math.min(scanned, total)} of ${total} checked`
  const why = status === 'paused' && pauseReason ? ` (${pauseReason.replaceAll('_', ' ')})` : ''
  const where = status === 'paused' && resumeFrontier ? `, resumes at ${plainLine(resumeFrontier)}` : ''
  const message = statusMessage ? `: ${plainLine(statusMessage)}` : ''
  return `${status}${why}, ${checked}, ${indexed} new or changed${where}${message}`
}

/** Describes problems of a source, one sentence per line; empty for a healthy source. */
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
            ? `Paused. To continue: memory sources resume ${id}`
            : `Paused, continues automatically. To continue now: memory sources resume ${id}`,
        ]
      : []),
    ...(missing > 0 ? [`${countOf(missing, 'artifact')} not searchable yet`] : []),
    ...(lasting > 0 ? [`${lasting} failed and will be retried only after a change`] : []),
    ...(checkpoints.stale > 0 ? [`${countOf(checkpoints.stale, 'checkpoint')} unchanged for a week`] : []),
    ...(purge.deletedArtifacts > 0 ? [`${countOf(purge.deletedArtifacts, 'artifact')} being deleted`] : []),
    ...notes.map(plainLine),
  ]
}

function faultsText({ failures }: Health, colors: Colors): string {
  if (failures.total === 0) return ''
  const rows = failures.newest.map(({ path, message }) => [plainLine(path), plainLine(message)])
  const more = failures.total > rows.length ? `, showing the newest ${rows.length}` : ''
  const table = formatTable(['PATH', 'REASON'], rows, colors)
  return [colors.red(`${failures.total} failed${more}`), table].join('\n')
}

/** Describes the effect of a removal. */
export function removalLines({ kind, name, root, stats }: ShownSource): string[] {
  return [
    `source     ${plainLine(name)} (${kindNames[kind]})`,
    kind === 'import' ? `file       ${plainLine(root)}` : `location   ${plainLine(root)} (not changed)`,
    `deleted    ${countOf(stats.artifacts, 'artifact')} in ${countOf(stats.chunks, 'passage')}, with their vectors`,
    'kept       your memories, and facts drawn from the artifacts, marked as no longer supported',
  ]
}
