import { createHash } from 'node:crypto'
import type {
  WireChannel,
  WireMember,
  WireMessage,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { ReadArtifact } from '../../core/kind.js'
import { type Names, nameOf } from './names.js'
import { channelPath, directMessages, memberPath, messagePath, webAddress } from './paths.js'
import { type Included, messageText } from './render-message.js'
import { lines } from './render-parts.js'
import { timeOf } from './snowflake.js'

/** Where a message was said. */
export interface Place {
  guild: string
  channel: string
  /** `#channel`, or `#channel > thread`. */
  title: string
}

/**
 * One message as an artifact: it is found, changed and deleted by itself, and says by its title where it was said
 * (sources.md#discord).
 * @returns undefined for one that says nothing
 */
export function messageArtifact(
  message: WireMessage,
  place: Place,
  { included, names }: { included: Included; names: Names },
): ReadArtifact | undefined {
  const text = messageText(message, included, names)
  if (text === '') return undefined
  const { guild, channel, title } = place
  const author = nameOf(message.author, message.member?.nick)
  const {
    message_id: other,
    channel_id: otherChannel,
    guild_id: otherGuild,
  } = message.message_reference ?? {}
  return finished({
    path: messagePath(guild, channel, message.id),
    kind: 'message',
    title,
    text,
    author,
    // People ask for what somebody said.
    names: [author],
    url: webAddress(guild, channel, message.id),
    updatedAt: isoOf(message.edited_timestamp) ?? isoOf(message.timestamp) ?? timeOf(message.id),
    links: other ? [{ to: messagePath(otherGuild ?? guild, otherChannel ?? channel, other) }] : [],
    ...(guild === directMessages && { isLocalOnly: true }),
  })
}

/** What a channel or a thread is about; its tags are names that it is found by. */
export function channelArtifact(
  channel: WireChannel,
  place: Place,
  { tags, members }: { tags: readonly string[]; members: readonly string[] },
): ReadArtifact {
  const { guild, title } = place
  return finished({
    path: channelPath(guild, channel.id),
    kind: isThread(channel) ? 'thread' : 'channel',
    title,
    text: lines([
      title,
      channel.topic,
      tags.length > 0 ? `Tags: ${tags.join(', ')}` : '',
      members.length > 0 ? `Members: ${members.join(', ')}` : '',
    ]),
    names: [...tags],
    url: webAddress(guild, channel.id),
    updatedAt: isoOf(channel.thread_metadata?.archive_timestamp) ?? null,
    ...(guild === directMessages && { isLocalOnly: true }),
  })
}

/** A member of a server: by which names people speak of them, and their roles. */
export function memberArtifact(guild: string, member: WireMember, names: Names): ReadArtifact {
  const { user, nick, joined_at: joined } = member
  const called = [...new Set([nick, user.global_name, user.username])].filter(name => !!name) as string[]
  const roles = (member.roles ?? []).flatMap(id => names.roles.get(id) ?? [])
  return finished({
    path: memberPath(guild, user.id),
    kind: 'member',
    title: nameOf(user, nick),
    text: lines([
      `Member: ${called.join(', ')}`,
      roles.length > 0 ? `Roles: ${roles.join(', ')}` : '',
      isoOf(joined) ? `Joined: ${isoOf(joined)?.slice(0, 10)}` : '',
    ]),
    names: called,
    updatedAt: null,
  })
}

/** The text of an attachment: of the message that it hangs on it has place, author and time. */
export function attachmentArtifact(
  message: ReadArtifact,
  { path, filename, text }: { path: string; filename: string; text: string },
): ReadArtifact {
  return finished({
    ...message,
    path,
    kind: 'attachment',
    text,
    names: [filename],
    links: [{ to: message.path }],
  })
}

/** 10 to 12: of announcements, public, private. */
export function isThread({ type }: Pick<WireChannel, 'type'>): boolean {
  return type >= 10 && type <= 12
}

/** Adds by what it is known to be unchanged: everything that is kept of it. */
function finished(artifact: Omit<ReadArtifact, 'fingerprint'>): ReadArtifact {
  const { title, text, author, names, updatedAt } = artifact
  const kept = JSON.stringify([title, text, author, names, updatedAt])
  return { ...artifact, fingerprint: createHash('sha256').update(kept).digest('base64url') }
}

/** A time of Discord as ISO in UTC; undefined for what is none. */
function isoOf(text: string | null | undefined): string | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
