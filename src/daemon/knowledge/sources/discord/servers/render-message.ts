import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord-settings.js'
import type { WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { clip } from '../../../../../lib/text/clip.js'
import { type Names, nameOf, readable } from './names.js'
import { attachmentText, componentTexts, embedText, lines, pollText } from './render-parts.js'

export type Included = Pick<DiscordSettings, 'includeAttachments' | 'includeEmbeds' | 'includePolls'>

/** What one message says, by itself or forwarded. */
type Said = Pick<
  WireMessage,
  'content' | 'attachments' | 'embeds' | 'components' | 'sticker_items' | 'mentions'
>

/** How much of the message that is answered stands above the answer: "yes" alone is found by nobody. */
const quotedLength = 200

/**
 * Everything a message says, as Markdown: its words, what it forwards, embeds, polls, buttons, names of attachments.
 * @returns an empty text for a message that says nothing: somebody joined, or pinned something
 */
export function messageText(message: WireMessage, included: Included, names: Names): string {
  const own = lines([
    saidText(message, included, names),
    included.includePolls && message.poll ? pollText(message.poll) : '',
  ])
  const forwarded = (message.message_snapshots ?? [])
    .map(({ message: snapshot }) => saidText(snapshot, included, names))
    .filter(text => text !== '')
    .map(text => `Forwarded:\n${text}`)
  const text = [own, ...forwarded].filter(part => part !== '').join('\n\n')
  return text === '' ? '' : [answered(message, names), text].filter(part => part !== '').join('\n\n')
}

/**
 * Whether a message has nothing of what a program without the intent for message content is not shown. Stickers and
 * forwards without words are shown to all.
 */
export function isBlank(message: WireMessage): boolean {
  const { content, attachments, embeds, components, sticker_items: stickers, poll } = message
  const lists = [attachments, embeds, components, stickers, message.message_snapshots]
  return !content && !poll && lists.every(list => (list?.length ?? 0) === 0)
}

function saidText(said: Said, { includeAttachments, includeEmbeds }: Included, names: Names): string {
  return readable(
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

/** The beginning of the message that this one answers. */
function answered({ referenced_message: other, mentions }: WireMessage, names: Names): string {
  if (!other?.content) return ''
  const start = clip(readable(other.content, { mentions }, names).replace(/\s+/gu, ' '), quotedLength)
  return `> ${nameOf(other.author)}: ${start}`
}
