import type { z } from 'zod'
import type { Reply } from '../../../contract/api.js'
import type { memoryGetOutput } from '../../../contract/mcp/tools.js'
import { countOf } from '../../../lib/text/count-of.js'
import { harmless } from '../../../lib/text/harmless.js'
import { label, oneLine, trail } from '../../../lib/text/one-line.js'
import { recordText } from '../../tool/memory-text.js'
import { contextText } from '../knowledge/code-text.js'

type SearchReply = Reply<'POST /api/search'>
type OpenedItem = Reply<'GET /api/items/:id'>
type Data = z.input<typeof memoryGetOutput>

const maxPassage = 500
const maxTags = 1000
const withheld = '(withheld: it failed the safety check)'

/** Formats results of all kinds, one per line, best first. */
export function itemsText({ items, total }: SearchReply): string {
  if (items.length === 0) return 'Nothing matches.'
  const lines = items.map(({ kind, id, title, text, project, at }) => {
    const labels = [kind, at?.slice(0, 10), project && label(project), kind === 'memory' ? '' : label(title)]
    return harmless(
      `- [${labels.filter(Boolean).join(', ')}] ${oneLine(text, maxPassage)} (id ${label(id, 400)})`,
    )
  })
  return [
    `${items.length} of ${countOf(total, 'result')}, best first; memory_get opens each:`,
    ...lines,
  ].join('\n')
}

/** Formats one item of any kind in full. */
export function itemText(item: OpenedItem): string {
  if (item.kind === 'memory') return recordText(item.memory)
  return [bodyOf(item), '', `kind: ${item.kind}`, `id: ${label(item.id, 400)}`].join('\n')
}

/** The same as data, in the fields of a memory. */
export function openedData(item: OpenedItem): Data {
  if (item.kind === 'memory') {
    const { id, content, verbatim, type, tags, created_at, version, contentSafety } = item.memory
    return {
      id,
      content: verbatim ?? content,
      type,
      tags: label(tags, maxTags),
      created_at,
      version,
      safety: contentSafety.status,
    }
  }
  const { id, kind } = item
  return {
    id,
    content: bodyOf(item),
    type: kind,
    tags: '',
    created_at: timeOf(item),
    version: 1,
    safety: 'clean',
  }
}

type OtherItem = Exclude<OpenedItem, { kind: 'memory' }>

function timeOf(item: OtherItem): string {
  if (item.kind === 'session') return item.capturedAt
  return item.kind === 'entity' ? item.entity.entity.updatedAt : ''
}

function bodyOf(item: OtherItem): string {
  if (item.kind === 'code') return contextText(item.code)
  if (item.kind === 'session')
    return [
      `Session ${label(item.sessionKey, 400)}, turns around ${item.position} of ${item.total}:`,
      ...item.turns.map(
        ({ position, role, text }) =>
          `[${position} ${label(role)}] ${text === null ? withheld : harmless(text)}`,
      ),
    ].join('\n')
  if (item.kind === 'entity') {
    const { entity, claims, links } = item.entity
    const relations = links.map(({ direction, relation, entity: other }) =>
      direction === 'to'
        ? `- ${label(relation)} ${label(other.name)}`
        : `- ${label(other.name)} ${label(relation)} this`,
    )
    const facts = claims.map(
      ({ aspect, claim, value, status }) =>
        `- ${label(aspect)} ${label(claim)}: ${oneLine(value, maxPassage)} (${label(status)})`,
    )
    return harmless([`${label(entity.name)} (${label(entity.type)})`, ...facts, ...relations].join('\n'))
  }
  const { of, passage, before, after } = item
  const place = trail([of.title ?? of.path, passage.heading, passage.page])
  return [
    `[${label(place, 400)}]`,
    ...(before ? [`before (id ${label(before.id, 400)}): ${harmless(before.text)}`] : []),
    harmless(passage.text),
    ...(after ? [`after (id ${label(after.id, 400)}): ${harmless(after.text)}`] : []),
  ].join('\n')
}
