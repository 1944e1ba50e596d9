import type { Reply, Request } from '../../contract/api.js'
import { actorName, labelOf } from '../../lib/text/labels.js'
import { shortNameOf } from '../../lib/text/names.js'
import { formatAge } from '../../lib/time/age.js'
import { CliError } from '../shell/cli-error.js'
import { type Colors, formatFields, shownId } from '../terminal/output.js'
import { plainLine, shownLines, wrapText } from '../terminal/text.js'

export type LineageItem = Reply<'GET /api/memory/:id/lineage'>['lineage'][number]

const words: Readonly<Record<string, number>> = { helpful: 1, neutral: 0, harmful: -1 }

export type MemoryRecord = Reply<'GET /api/memory/:id'>
export type HistoryEvent = Reply<'GET /api/memory/:id/history'>['history'][number]

type RememberBody = NonNullable<Request<'POST /api/memory/remember'>['body']>

/** Returns the request for a new version that replaces a memory and keeps its other fields (rules.md 4.6). */
export function replacementOf(
  old: MemoryRecord,
  changes: Partial<RememberBody> & Pick<RememberBody, 'reason'>,
): RememberBody {
  return {
    content: old.verbatim ?? old.content,
    supersedes: old.id,
    type: old.type as RememberBody['type'],
    expiresAt: old.expires_at ?? undefined,
    project: old.project ?? undefined,
    scope: old.scope ?? undefined,
    tags: old.tags,
    importance: old.importance,
    pinned: old.pinned === 1,
    who: old.who ?? undefined,
    ...changes,
  }
}

export interface RecordView {
  colors: Colors
  /** Terminal columns; undefined prints texts unwrapped. */
  width: number | undefined
  /** Milliseconds since the epoch. */
  now: number
}

/** Formats one memory: its text, then every field with a value. */
export function recordText(memory: MemoryRecord, view: RecordView): string {
  const { colors, width, now } = view
  const text = shownLines(memory, width).join('\n')
  const when = (iso: string | null) => (iso ? `${iso} (${formatAge(iso, now)})` : null)
  const fields: Array<[string, string | number | null]> = [
    ['id', memory.id],
    ['type', memory.type],
    ['tags', memory.tags],
    ['importance', `${memory.importance.toFixed(2)}${memory.pinned ? ' (pinned)' : ''}`],
    ['project', memory.project && namedProject(memory.project)],
    ['branch', memory.branch],
    ['commit', memory.commit],
    ['scope', memory.scope],
    ['author', memory.who],
    ['agent', `${memory.agent_id} (${memory.visibility})`],
    ['also saved by', otherHolders(memory)],
    ['created', when(memory.created_at)],
    ['updated', memory.version > 1 ? when(memory.updated_at) : null],
    ['version', memory.version],
    [
      'recalled',
      memory.access_count > 0 ? `${memory.access_count} times, last ${when(memory.last_accessed)}` : null,
    ],
    ['valid from', when(memory.valid_from)],
    ['valid until', when(memory.valid_until)],
    ['review after', when(memory.review_after)],
    ['expires', memory.expires_at],
    ['source', sourceOf(memory)],
    ['hints', memory.hints.join(' | ')],
    ['superseded by', memory.superseded_by],
    ['superseded reason', memory.superseded_reason],
    ['vector', memory.embedding_model ?? 'none yet'],
    ['safety', safetyOf(memory)],
  ]
  const given = fields.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, plainLine(String(value))] as const],
  )
  return `${text}\n\n${formatFields(given, colors)}`
}

/**
 * Formats every change of one memory, oldest first: time, kind, author, reason, and the text if it changed.
 */
export function historyText(events: readonly HistoryEvent[], { colors, width, now }: RecordView): string {
  return events
    .map(event => {
      const head = [
        colors.cyan(labelOf('historyEvent', event.event)),
        formatAge(event.createdAt, now),
        `by ${plainLine(actorName(event.changedBy))}`,
        event.reason && `"${plainLine(event.reason)}"`,
      ]
      const text = event.newContent ?? event.oldContent
      const lines = text === null ? [] : wrapText(plainLine(text), width === undefined ? Infinity : width - 2)
      const when = `${colors.dim(event.createdAt)}  ${head.filter(Boolean).join('  ')}`
      return [when, ...lines.map(line => `  ${line}`)].join('\n')
    })
    .join('\n')
}

/** Returns the short name of a project with its key, where these differ. */
function namedProject(key: string): string {
  const name = shortNameOf(key)
  return name === key ? key : `${name} (${key})`
}

function sourceOf({ source_type, source_id, source_path }: MemoryRecord): string | null {
  return [source_type, source_id, source_path].filter(Boolean).join(' ') || null
}

/** Lists the other agents that saved the same text; empty from an older daemon, which does not send them. */
function otherHolders({ holders = [] }: MemoryRecord): string {
  return holders
    .slice(1)
    .map(({ agent_id, project, scope }) =>
      [agent_id, project && `in ${shortNameOf(project)}`, scope && `(${scope})`].filter(Boolean).join(' '),
    )
    .join(', ')
}

function safetyOf({ contentSafety: { status, reasons } }: MemoryRecord): string {
  return reasons.length > 0 ? `${status}: ${reasons.join(', ')}` : status
}

/**
 * Parses ratings: `ID=1`, `ID=-0.5`, `ID=helpful`.
 * @returns ratings by memory id, -1 to 1 (recall.md 4.9). @throws CliError that quotes an invalid rating.
 */
export function parseRatings(given: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    given.map(text => {
      const [, id, value = ''] = /^([^=\s]+)=(\S+)$/u.exec(text) ?? []
      const rating = words[value] ?? Number(value)
      if (id && value !== '' && rating >= -1 && rating <= 1) return [id, rating]
      throw new CliError(`"${text}" is not a rating: use ID=1 (helpful), ID=0 (neutral) or ID=-1 (harmful)`, {
        code: 'validation_failed',
        exit: 'usage',
      })
    }),
  )
}

/**
 * Formats the replacements of a memory, newest first: the current text, then each earlier one with the time
 * and reason of its replacement.
 */
export function replacementsText(items: readonly LineageItem[], { colors, width, now }: RecordView): string {
  return items
    .map(item => {
      const fate = item.supersededAt
        ? colors.yellow(`replaced ${formatAge(item.supersededAt, now)}`)
        : colors.green('current')
      const why = item.supersededReason ? `"${plainLine(item.supersededReason)}"` : ''
      const head = [
        colors.bold(shownId(item.id)),
        colors.cyan(item.type),
        formatAge(item.createdAt, now),
        fate,
        why,
      ]
      const lines = wrapText(plainLine(item.content), width === undefined ? Infinity : width - 2)
      return [head.filter(Boolean).join('  '), ...lines.map(line => `  ${line}`)].join('\n')
    })
    .join('\n')
}
