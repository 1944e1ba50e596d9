import type {
  WireAttachment,
  WireEmbed,
  WirePoll,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isRecord } from '../../../../../lib/text/is-record.js'

/** An embed as Markdown: what a link shows of its page, or what a bot says. */
export function embedText({ author, title, url, description, fields = [], footer }: WireEmbed): string {
  const heading = title ? `**${title}**` : ''
  return lines([
    author?.name,
    url ? [heading, `<${url}>`].filter(Boolean).join(' ') : heading,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    footer?.text,
  ])
}

/** A poll with its answers, and the votes once Discord tells them. */
export function pollText({ question, answers = [], results }: WirePoll): string {
  const counts = new Map(results?.answer_counts.map(({ id, count }) => [id, count]))
  const votes = (id: number): string => {
    if (!results) return ''
    const count = counts.get(id) ?? 0
    return ` (${count} ${count === 1 ? 'vote' : 'votes'})`
  }
  return lines([
    `Poll: ${question?.text ?? ''}${results?.is_finalized ? ' (closed)' : ''}`,
    ...answers.map(({ answer_id: id, poll_media: media }) => `- ${media?.text ?? ''}${votes(id)}`),
  ])
}

/** What is said of an attachment beside it; its own text is an artifact of its own. */
export function attachmentText({ filename, title, description }: WireAttachment): string {
  const called = title && title !== filename ? ` (${title})` : ''
  return `Attachment: ${filename}${called}${description ? `: ${description}` : ''}`
}

/** Components nest five deep at most; more is none of Discord's. */
const deepest = 8
/** Where components say something, and where they hold others. */
const saying = ['content', 'label', 'placeholder', 'description'] as const
const holding = ['components', 'component', 'accessory', 'items', 'options'] as const

/** The texts of components in the order in which they are shown: buttons, selects, text displays, galleries. */
export function componentTexts(components: readonly unknown[], depth = 0): string[] {
  if (depth > deepest) return []
  return components
    .filter(isRecord)
    .flatMap(one => [
      ...saying.map(key => one[key]).filter(value => typeof value === 'string' && value !== ''),
      ...holding
        .map(key => one[key])
        .flatMap(value =>
          componentTexts(Array.isArray(value) ? value : value === undefined ? [] : [value], depth + 1),
        ),
    ]) as string[]
}

/** Parts that say something, one below the other. */
export function lines(parts: readonly (string | null | undefined)[]): string {
  return parts.filter(part => part?.trim()).join('\n')
}
