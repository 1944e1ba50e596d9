import type { Reply } from '../../contract/api.js'
import { countOf, rangeOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { shortNameOf } from '../../lib/text/names.js'
import { trail } from '../../lib/text/one-line.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge } from '../../lib/time/age.js'
import { contextText } from '../knowledge/code/code-text.js'
import { entityText } from '../knowledge/ontology/ontology-text.js'
import { clipText, formatMs, plainLine, plainLines, wrapText } from '../terminal/text.js'
import { highlight, queryStems } from './highlight.js'
import { countsText, type ResultView } from './recall.js'
import { recordText } from './record.js'

type SearchReply = Reply<'POST /api/search'>
type FoundItem = SearchReply['items'][number]
/** One thing that a search found, with its surroundings. */
export type OpenedItem = Reply<'GET /api/items/:id'>
type View = Omit<ResultView, 'maxLines'>

const indent = '    '

/**
 * Formats results of all kinds, best first: kind, title, project and age; the passage with the query's words
 * highlighted; the id.
 */
export function searchHits({ query, items }: SearchReply, view: View, offset = 0): string {
  const stems = queryStems(query)
  return items.map((item, index) => hitLines(item, offset + index + 1, stems, view).join('\n')).join('\n\n')
}

function hitLines(item: FoundItem, rank: number, stems: ReadonlySet<string>, view: View): string[] {
  const { colors, width, now } = view
  const project = item.project === null ? '' : width === undefined ? item.project : shortNameOf(item.project)
  const title = plainLine(item.title)
  const text = plainLine(item.text)
  const head = [
    colors.dim(String(rank).padStart(2)),
    colors.cyan(item.kind),
    colors.bold(width === undefined ? title : clipText(title, Math.max(20, width - 40))),
    plainLine(project),
    item.at && formatAge(item.at, now),
    item.who && `by ${plainLine(labelOf('harness', item.who))}`,
  ]
  // The title of a memory is the beginning of its text.
  const isRepeated = text === title
  const lines = width === undefined ? [text] : wrapText(text, Math.max(20, width - indent.length))
  return [
    head.filter(Boolean).join('  '),
    ...(isRepeated ? [] : lines).map(
      line => indent + highlight(line, stems, word => colors.bold(colors.yellow(word))),
    ),
    indent + colors.dim(plainLine(width === undefined ? item.id : shortId(item.id))),
  ]
}

/** Formats the footer: the range, counts by kind, and what to do next. */
export function searchFooter(
  { query, items, total, counts, next, failed }: SearchReply,
  { offset, elapsedMs, isNear }: { offset: number; elapsedMs: number; isNear: boolean },
): string {
  const wider = isNear ? ' To search all projects, add --all-projects.' : ''
  const faults = failed.length > 0 ? `Not searched: ${failed.join(', ')} (memory logs has the reason). ` : ''
  if (total === 0)
    return `${faults}Nothing matches "${plainLine(clipText(query, 60))}". Try other words, or remove a filter.${wider}`
  const all = `${countOf(total, 'result', 'results')} (${countsText(counts)})`
  const range = rangeOf({ offset, shown: items.length, total }, all)
  const more = next === null ? '' : `, next: --offset ${next}`
  return `${faults}${range} in ${formatMs(elapsedMs)}${more}\nOpen one: memory get ID`
}

/** Formats an item of any kind, as `memory get` shows it. */
export function itemText(item: OpenedItem, view: View): string {
  if (item.kind === 'memory') return recordText(item.memory, view)
  if (item.kind === 'entity') return entityText(item.entity, view.colors)
  if (item.kind === 'code') return contextText(item.code, view.colors)
  return item.kind === 'session' ? sessionTurns(item, view) : passagesText(item, view)
}

function sessionTurns(item: Extract<OpenedItem, { kind: 'session' }>, { colors, width, now }: View): string {
  const head = [
    colors.bold(plainLine(item.title) || plainLine(item.sessionKey)),
    [
      `session ${plainLine(item.sessionKey)}`,
      plainLine(labelOf('harness', item.harness)),
      item.project && plainLine(shortNameOf(item.project)),
      formatAge(item.capturedAt, now),
      `turn ${item.position + 1} of ${item.total}`,
    ]
      .filter(Boolean)
      .join(' · '),
  ]
  const turns = item.turns.map(({ position, role, text }) => {
    const isMeant = position === item.position
    const name = isMeant ? colors.bold(colors.cyan(`> ${role}`)) : colors.cyan(`  ${role}`)
    const shown = text === null ? '(withheld: it failed the safety check)' : text
    return [name, ...blockOf(shown, width)].join('\n')
  })
  return [head.join('\n'), ...turns].join('\n\n')
}

function passagesText(item: Extract<OpenedItem, { kind: 'note' | 'document' }>, view: View): string {
  const { colors, width } = view
  const { of, passage, before, after } = item
  const place = trail([of.title ?? of.path, passage.heading, passage.page])
  const origin = [
    item.kind,
    of.sourceName && `source ${of.sourceName}`,
    of.path ?? of.url,
    of.project && shortNameOf(of.project),
    of.id,
  ]
  const part = (title: string, one: typeof before) =>
    one === null ? [] : [[colors.dim(`${title} ${one.id}`), ...blockOf(one.text, width)].join('\n')]
  return [
    [colors.bold(plainLine(place)), colors.dim(plainLine(origin.filter(Boolean).join(' · ')))].join('\n'),
    ...part('before', before),
    [colors.cyan('passage'), ...blockOf(passage.text, width)].join('\n'),
    ...part('after', after),
  ].join('\n\n')
}

/** The lines of a text from elsewhere, indented. */
function blockOf(text: string, width: number | undefined): string[] {
  return plainLines(text)
    .split('\n')
    .flatMap(line => (width === undefined ? [line] : wrapText(line, Math.max(20, width - indent.length))))
    .map(line => indent + line)
}
