import type { Reply } from '../../contract/api.js'
import type { RepairReply } from '../../contract/operations/repair/repair.js'
import type { RepairName } from '../../contract/operations/repair/repair-names.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { padText, plainLine } from '../terminal/text.js'

/** Options of the repair command. */
export interface RepairOptions {
  agent?: string | undefined
  semantic: boolean
  threshold?: number | undefined
  all: boolean
}

type Body = Record<string, unknown>

type RepairList = Reply<'GET /api/repair'>['repairs']

/** Lists the repairs, one per line, with the result of the last run. */
export function repairsText(listed: RepairList, colors: Colors): string {
  const width = Math.max(...listed.map(({ name }) => name.length))
  return listed
    .map(({ name, summary, isReading, lastRun, nextAt }) => {
      const last = lastRun
        ? `last run ${lastRun.startedAt.slice(0, 16).replace('T', ' ')}: ${lastRun.outcome}, ${lastRun.affected} affected`
        : isReading
          ? 'report only'
          : 'not run yet'
      const wait = nextAt ? `, next run possible from ${nextAt.slice(11, 19)} UTC` : ''
      return `${padText(name, width)}  ${summary}\n${' '.repeat(width + 2)}${colors.dim(`${last}${wait}`)}`
    })
    .join('\n')
}

/** Shows a preview and asks before a repair changes something. */
export function askBefore(
  name: RepairName,
  preview: Pick<RepairReply, 'message' | 'details'>,
  colors: Colors,
): { lines: readonly string[]; question: string } {
  return { lines: repairLines(preview, colors), question: `Run ${name}?` }
}

/** Describes the actual or planned effect of a repair for people: its message and its details. */
export function repairLines(
  { message, details = {} }: Pick<RepairReply, 'message' | 'details'>,
  colors: Colors,
): string[] {
  const { merges, entities, sources, ...figures } = details
  return [
    plainLine(message),
    ...fieldsOf(figures, colors),
    ...listOf(sources, ({ label, count }) => `${label}: ${count}`),
    ...listOf(merges, ({ keep, drop, why, text, keptText }) =>
      why === 'near'
        ? `${drop} is merged into ${keep}: "${text}" is similar to "${keptText}"`
        : `${drop} is merged into ${keep}: "${text}"`,
    ),
    ...listOf(entities, ({ name, type, mentions }) => `${name} (${type}), ${mentions} mentions`),
  ]
}

/**
 * Details that are not shown: those that the message contains, the request's parameters, and values for
 * programs.
 */
const hiddenFields = new Set([
  ...['status', 'complete', 'phase', 'consistent', 'repaired'],
  ...['candidateLimit', 'inspectionLimit', 'samples', 'operationId', 'cursor'],
])

/** Returns counts other than 0, and texts. */
function fieldsOf(figures: Readonly<Record<string, unknown>>, colors: Colors): string[] {
  const shown = Object.entries(figures).flatMap(([name, value]): [string, string][] =>
    value === 0 ||
    value === null ||
    hiddenFields.has(name) ||
    !['number', 'string', 'boolean'].includes(typeof value)
      ? []
      : [[name, plainLine(String(value))]],
  )
  return shown.length > 0
    ? formatFields(shown, colors)
        .split('\n')
        .map(line => `  ${line}`)
    : []
}

function listOf(items: unknown, text: (item: Record<string, string | number>) => string): string[] {
  if (!Array.isArray(items)) return []
  return items.map(item => `  ${plainLine(text(item as Record<string, string | number>))}`)
}

/** Returns the request of one call with the largest batch it allows. */
export function bodyOf(name: RepairName, wishes: RepairOptions, dryRun: boolean): Body {
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

/**
 * Returns the request of the next call; undefined if nothing is left or another call would make no progress.
 */
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
