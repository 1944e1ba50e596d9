import type { Reply } from '../../contract/api.js'
import type { RepairReply } from '../../contract/operations/repair/repair.js'
import type { RepairName } from '../../contract/operations/repair/repair-names.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { padText, plainLine } from '../terminal/text.js'

/** What the person asked for, beside the name. */
export interface RepairWishes {
  agent?: string | undefined
  semantic: boolean
  threshold?: number | undefined
  all: boolean
}

type Body = Record<string, unknown>

type Listed = Reply<'GET /api/repair'>['repairs']

/** What can be repaired, a line each, with what came of the last run. */
export function repairsText(listed: Listed, colors: Colors): string {
  const width = Math.max(...listed.map(({ name }) => name.length))
  return listed
    .map(({ name, summary, isReading, lastRun, nextAt }) => {
      const last = lastRun
        ? `last ${lastRun.startedAt.slice(0, 16).replace('T', ' ')}, ${lastRun.outcome}, ${lastRun.affected} affected`
        : isReading
          ? 'only counts'
          : 'never ran'
      const wait = nextAt ? `, again from ${nextAt.slice(11, 19)} UTC` : ''
      return `${padText(name, width)}  ${summary}\n${' '.repeat(width + 2)}${colors.dim(`${last}${wait}`)}`
    })
    .join('\n')
}

/** What a person is shown and asked before a repair changes something. */
export function askBefore(
  name: RepairName,
  preview: Pick<RepairReply, 'message' | 'details'>,
  colors: Colors,
): { lines: readonly string[]; question: string } {
  return { lines: repairLines(preview, colors), question: `Run ${name}?` }
}

/** What a repair did or would do, for people: its sentence, and what it says beside it. */
export function repairLines(
  { message, details = {} }: Pick<RepairReply, 'message' | 'details'>,
  colors: Colors,
): string[] {
  const { merges, entities, sources, ...figures } = details
  return [
    plainLine(message),
    ...fieldsOf(figures, colors),
    ...listOf(sources, ({ label, count }) => `${count} of ${label}`),
    ...listOf(merges, ({ keep, drop, why, text, keptText }) =>
      why === 'near'
        ? `${drop} goes into ${keep}: "${text}" beside "${keptText}"`
        : `${drop} goes into ${keep}: "${text}"`,
    ),
    ...listOf(entities, ({ name, type, mentions }) => `${name} (${type}), ${mentions} mentions`),
  ]
}

/** What the sentence says already, what was asked for, and what only a program goes on with. */
const untold = new Set([
  ...['status', 'complete', 'phase', 'consistent', 'repaired'],
  ...['candidateLimit', 'inspectionLimit', 'samples', 'operationId', 'cursor'],
])

/** Counts that are not 0, and words. */
function fieldsOf(figures: Readonly<Record<string, unknown>>, colors: Colors): string[] {
  const told = Object.entries(figures).flatMap(([name, value]): [string, string][] =>
    value === 0 ||
    value === null ||
    untold.has(name) ||
    !['number', 'string', 'boolean'].includes(typeof value)
      ? []
      : [[name, plainLine(String(value))]],
  )
  return told.length > 0
    ? formatFields(told, colors)
        .split('\n')
        .map(line => `  ${line}`)
    : []
}

function listOf(items: unknown, text: (item: Record<string, string | number>) => string): string[] {
  if (!Array.isArray(items)) return []
  return items.map(item => `  ${plainLine(text(item as Record<string, string | number>))}`)
}

/** What one call is asked for, as large a share as it takes. */
export function bodyOf(name: RepairName, wishes: RepairWishes, dryRun: boolean): Body {
  const agent = wishes.agent === undefined ? {} : { agentId: wishes.agent }
  const of: Partial<Record<RepairName, Body>> = {
    'check-fts': { repair: !dryRun },
    're-embed': { dryRun, fullSweep: true },
    're-embed-migration': { ...agent, dryRun, all: wishes.all },
    'clean-orphans': { ...agent, dryRun, maxBatches: 100 },
    'resync-vectors': { ...agent, dryRun, maxBatches: 100 },
    deduplicate: {
      dryRun,
      batchSize: 500,
      semanticEnabled: wishes.semantic,
      ...(wishes.threshold !== undefined && { semanticThreshold: wishes.threshold }),
    },
    'relink-entities': { ...agent, dryRun },
    'prune-generic-entities': { ...agent, dryRun, candidateLimit: 500, inspectionLimit: 5000 },
  }
  return of[name] ?? { dryRun }
}

/** What the next call is asked for; undefined when nothing is left, or another call would come no further. */
export function nextBody(body: Body, reply: RepairReply): Body | undefined {
  const { details = {} } = reply
  const status = 'status' in reply ? reply.status : details.status
  const isWhole = details.complete === true || status === 'complete'
  const isStuck =
    !reply.success || ['paused', 'bytes', 'cancelled', 'provider'].includes(String(details.reason))
  const goesOn = details.complete === false || status === 'running' || status === 'partial'
  if (isWhole || isStuck || !goesOn) return undefined
  return { ...body, ...(details.cursor ? { cursor: details.cursor } : {}) }
}
