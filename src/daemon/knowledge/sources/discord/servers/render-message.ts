import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord-settings.js'
import type { WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { clip } from '../../../../../lib/text/clip.js'
import { type Names, nameOf, withNames } from './names.js'
import { attachmentText, componentTexts, embedText, lines, pollText } from './render-parts.js'

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
