import { createHash } from 'node:crypto'
import type {
  WireChannel,
  WireMember,
  WireMessage,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { ReadArtifact } from '../../core/kind.js'
import { type Names, nameOf } from './names.js'
import { channelPath, directMessages, memberPath, messagePath, timeOf, webAddress } from './paths.js'
import { type IncludedParts, lines, messageText } from './render-message.js'

/** The location of a message. */
export interface MessagePlace {
  guild: string
  channel: string
  /** `#channel`, or `#channel > thread`. */
  title: string
}

/**
 * Converts one message to an artifact, so that it is found, changed and deleted separately. Its title names
 * the channel (sources.md#discord).
 * @returns undefined for a message without content
 */
export function messageArtifact(
  message: WireMessage,
  place: MessagePlace,
  { included, names }: { included: IncludedParts; names: Names },
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
  return withFingerprint({
    path: messagePath(guild, channel, message.id),
    kind: 'message',
    title,
    text,
    author,
    // The author is a search term, because people search for messages by author.
    names: [author],
    url: webAddress(guild, channel, message.id),
    updatedAt: isoOf(message.edited_timestamp) ?? isoOf(message.timestamp) ?? timeOf(message.id),
    links: other ? [{ to: messagePath(otherGuild ?? guild, otherChannel ?? channel, other) }] : [],
    ...(guild === directMessages && { isLocalOnly: true }),
  })
}

/** Converts the description of a channel or thread; its tags are search terms. */
export function channelArtifact(
  channel: WireChannel,
  place: MessagePlace,
  { tags, members }: { tags: readonly string[]; members: readonly string[] },
): ReadArtifact {
  const { guild, title } = place
  return withFingerprint({
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

/** Converts a member of a server, with all their names and roles. */
export function memberArtifact(guild: string, member: WireMember, names: Names): ReadArtifact {
  const { user, nick, joined_at: joined } = member
  const called = [...new Set([nick, user.global_name, user.username])].filter(name => !!name) as string[]
  const roles = (member.roles ?? []).flatMap(id => names.roles.get(id) ?? [])
  return withFingerprint({
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

/** Converts the text of an attachment; location, author and time are those of its message. */
export function attachmentArtifact(
  message: ReadArtifact,
  { path, filename, text }: { path: string; filename: string; text: string },
): ReadArtifact {
  return withFingerprint({
    ...message,
    path,
    kind: 'attachment',
    text,
    names: [filename],
    links: [{ to: message.path }],
  })
}

/** 10 to 12: announcement, public and private threads. */
export function isThread({ type }: Pick<WireChannel, 'type'>): boolean {
  return type >= 10 && type <= 12
}

/** Adds the fingerprint: a hash of all stored fields. */
function withFingerprint(artifact: Omit<ReadArtifact, 'fingerprint'>): ReadArtifact {
  const { title, text, author, names, updatedAt } = artifact
  const kept = JSON.stringify([title, text, author, names, updatedAt])
  return { ...artifact, fingerprint: createHash('sha256').update(kept).digest('base64url') }
}

/** Converts a Discord time to ISO in UTC; undefined if it is invalid. */
function isoOf(text: string | null | undefined): string | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
