import type {
  WireAttachment,
  WireEmbed,
  WirePoll,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isRecord } from '../../../../../lib/text/json-of.js'

/** Renders an embed as Markdown: the preview of a link, or a bot's output. */
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

/** Renders a poll with its answers, and the votes once Discord reports them. */
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

/** Renders the name and description of an attachment; its text is a separate artifact. */
export function attachmentText({ filename, title, description }: WireAttachment): string {
  const called = title && title !== filename ? ` (${title})` : ''
  return `Attachment: ${filename}${called}${description ? `: ${description}` : ''}`
}

/** Discord nests components at most five levels deep. */
const deepest = 8
/** Keys of components that contain text, and keys that contain other components. */
const textKeys = ['content', 'label', 'placeholder', 'description'] as const
const childKeys = ['components', 'component', 'accessory', 'items', 'options'] as const

/** Returns the texts of components in display order: buttons, selects, text displays, galleries. */
export function componentTexts(components: readonly unknown[], depth = 0): string[] {
  if (depth > deepest) return []
  return components
    .filter(isRecord)
    .flatMap(one => [
      ...textKeys.map(key => one[key]).filter(value => typeof value === 'string' && value !== ''),
      ...childKeys
        .map(key => one[key])
        .flatMap(value =>
          componentTexts(Array.isArray(value) ? value : value === undefined ? [] : [value], depth + 1),
        ),
    ]) as string[]
}

/** Joins the non-blank parts with line breaks. */
export function lines(parts: readonly (string | null | undefined)[]): string {
  return parts.filter(part => part?.trim()).join('\n')
}
