import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord.js'
import type {
  WireAttachment,
  WireEmbed,
  WireMessage,
  WirePoll,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { clip } from '../../../../../lib/text/clip.js'
import { isRecord } from '../../../../../lib/text/json-of.js'
import { type Names, nameOf, withNames } from './names.js'

/** Renders an embed as Markdown: the preview of a link, or a bot's output. */
function embedText({ author, title, url, description, fields = [], footer }: WireEmbed): string {
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
function pollText({ question, answers = [], results }: WirePoll): string {
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
function attachmentText({ filename, title, description }: WireAttachment): string {
  const called = title && title !== filename ? ` (${title})` : ''
  return `Attachment: ${filename}${called}${description ? `: ${description}` : ''}`
}

/** Discord nests components at most five levels deep. */
const deepest = 8
/** Keys of components that contain text, and keys that contain other components. */
const textKeys = ['content', 'label', 'placeholder', 'description'] as const
const childKeys = ['components', 'component', 'accessory', 'items', 'options'] as const

/** Returns the texts of components in display order: buttons, selects, text displays, galleries. */
function componentTexts(components: readonly unknown[], depth = 0): string[] {
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

export type IncludedParts = Pick<DiscordSettings, 'includeAttachments' | 'includeEmbeds' | 'includePolls'>

/** The content of a message, its own or forwarded. */
type MessageBody = Pick<
  WireMessage,
  'content' | 'attachments' | 'embeds' | 'components' | 'sticker_items' | 'mentions'
>

/** Length of the quoted original above a reply, because a reply such as "yes" alone cannot be found. */
const quotedLength = 200

/**
 * Renders a message as Markdown: words, forwarded messages, embeds, polls, buttons, names of attachments.
 * @returns an empty text for a message without content, such as a join or a pin
 */
export function messageText(message: WireMessage, included: IncludedParts, names: Names): string {
  const own = lines([
    bodyText(message, included, names),
    included.includePolls && message.poll ? pollText(message.poll) : '',
  ])
  const forwarded = (message.message_snapshots ?? [])
    .map(({ message: snapshot }) => bodyText(snapshot, included, names))
    .filter(text => text !== '')
    .map(text => `Forwarded:\n${text}`)
  const text = [own, ...forwarded].filter(part => part !== '').join('\n\n')
  return text === '' ? '' : [quotedOriginal(message, names), text].filter(part => part !== '').join('\n\n')
}

/**
 * True if a message has none of the fields that are hidden without the message content intent. Stickers and
 * forwards without words are never hidden.
 */
export function isBlank(message: WireMessage): boolean {
  const { content, attachments, embeds, components, sticker_items: stickers, poll } = message
  const lists = [attachments, embeds, components, stickers, message.message_snapshots]
  return !content && !poll && lists.every(list => (list?.length ?? 0) === 0)
}

function bodyText(
  said: MessageBody,
  { includeAttachments, includeEmbeds }: IncludedParts,
  names: Names,
): string {
  return withNames(
    lines([
      said.content,
      ...(includeEmbeds ? (said.embeds ?? []).map(embedText) : []),
      ...componentTexts(said.components ?? []),
      ...(said.sticker_items ?? []).map(({ name }) => `Sticker: ${name}`),
      ...(includeAttachments ? (said.attachments ?? []).map(attachmentText) : []),
    ]),
    said,
    names,
  )
}

/** Quotes the beginning of the message that this one replies to. */
function quotedOriginal({ referenced_message: other, mentions }: WireMessage, names: Names): string {
  if (!other?.content) return ''
  const start = clip(withNames(other.content, { mentions }, names).replace(/\s+/gu, ' '), quotedLength)
  return `> ${nameOf(other.author)}: ${start}`
}
