import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isFault } from '../../../../ground/fetch/api-faults.js'
import type { SourceEvent } from '../../core/kind.js'
import { channelArtifact, isThread, memberArtifact } from './artifacts.js'
import { dropState, knownChildren, removePath, removeUnlisted } from './known-paths.js'
import { filterOf, type GuildListing, hasMessages, listGuild, placeOf } from './list.js'
import { nameOf } from './names.js'
import { channelPath, compareIds, membersPath } from './paths.js'
import type { GuildPass } from './reading.js'
import { reportArtifact } from './tell-message.js'
import { walkChannel } from './walk-channel.js'

const memberIntent =
  'enable Server Members Intent for the bot in the Discord developer portal (Bot, Privileged Gateway Intents)'

/** Reports the members of a server and removes those missing from a complete page of ids. */
async function* readMembers(
  reading: GuildPass,
  { guild, names }: Pick<GuildListing, 'guild' | 'names'>,
): AsyncGenerator<SourceEvent> {
  try {
    for (let after: string | undefined; ; ) {
      reading.pass.signal.throwIfAborted()
      const { members, hasMore } = await reading.client.members(guild, after)
      for (const member of members) yield* reportArtifact(reading, memberArtifact(guild, member, names))
      const last = members.at(-1)?.user.id
      // A server always has at least the bot as member, so an empty list is not valid.
      if (!last || last === after) return
      const listed = new Set(members.map(({ user }) => user.id))
      const before = hasMore ? last : undefined
      yield* removeUnlisted(reading.pass, membersPath(guild), { after: after ?? '0', before, listed })
      if (!hasMore) return
      after = last
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing')) throw error
    yield {
      event: 'fault',
      path: membersPath(guild),
      message: `the members of the server were skipped: ${error.message}`,
      isRecoverable: true,
      guidance: memberIntent,
    }
  }
}

/**
 * Returns the names of a thread's members.
 * @returns an empty list if the bot may not see them, which is reported
 */
async function* threadMembers(
  { client, pass }: GuildPass,
  thread: { id: string; path: string },
): AsyncGenerator<SourceEvent, string[]> {
  const names: string[] = []
  try {
    for (let after: string | undefined; ; ) {
      pass.signal.throwIfAborted()
      const { members, last } = await client.threadMembers(thread.id, after)
      names.push(...members.map(({ user, nick }) => nameOf(user, nick)))
      if (!last || last === after) return names
      after = last
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing')) throw error
    yield {
      event: 'fault',
      path: `${thread.path}/members`,
      message: `the members of a thread were skipped: ${error.message}`,
      isRecoverable: true,
      guidance: memberIntent,
    }
    return names
  }
}

/** Path segments below a server that are not channels. */
const nonChannelIds = new Set(['members'])

/**
 * Makes one pass over one server: its channels and threads with their messages, one after the other, then its
 * members.
 * @returns the listing; undefined if the bot does not see the server
 */
export async function* readGuild(
  reading: GuildPass,
  guild: string,
): AsyncGenerator<SourceEvent, GuildListing | undefined> {
  const { pass, settings } = reading
  const listing = yield* listGuild(reading, guild)
  if (!listing) return undefined
  const isWanted = filterOf(settings.channelFilter, listing)
  const wanted = [...listing.channels.values()].filter(isWanted).sort((a, b) => compareIds(a.id, b.id))
  for (const [at, channel] of startingAt(wanted, guild, pass.frontier).entries()) {
    const { title } = placeOf(listing, channel)
    yield { event: 'frontier', path: channelPath(guild, channel.id) }
    yield {
      event: 'status',
      message: `reading ${title} (${at + 1} of ${wanted.length} channels and threads)`,
    }
    yield* readChannel(reading, listing, channel)
  }
  yield* removeChannels(reading, listing, new Set(wanted.map(({ id }) => id)))
  if (settings.includeMembers) yield* readMembers(reading, listing)
  yield* reportMissingContent(reading, guild)
  return listing
}

/** Reports a channel or thread and its messages. */
export async function* readChannel(
  reading: GuildPass,
  listing: Pick<GuildListing, 'guild' | 'names' | 'channels'>,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  reading.pass.signal.throwIfAborted()
  yield* reportChannel(reading, listing, channel)
  const place = placeOf(listing, channel)
  if (hasMessages(channel)) yield* walkChannel(reading, { channel, place, names: listing.names })
}

/** Reports the description of a channel or thread: topic, tags, members. */
export async function* reportChannel(
  reading: GuildPass,
  listing: Pick<GuildListing, 'guild' | 'channels'>,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  const parent = listing.channels.get(channel.parent_id ?? '')
  const tagNames = new Map((parent?.available_tags ?? []).map(({ id, name }) => [id, name]))
  const applied = (channel.applied_tags ?? []).flatMap(id => tagNames.get(id) ?? [])
  const path = channelPath(listing.guild, channel.id)
  const asksMembers = isThread(channel) && reading.settings.includeThreadMembers
  const members = asksMembers ? yield* threadMembers(reading, { id: channel.id, path }) : []
  const tags = [...applied, ...(channel.available_tags ?? []).map(({ name }) => name)]
  yield* reportArtifact(reading, channelArtifact(channel, placeOf(listing, channel), { tags, members }))
}

/**
 * Removes known but unread channels and threads if Discord confirms that they were deleted, or if the filter
 * excludes them. Lists are not enough, because they omit channels hidden from the bot.
 */
async function* removeChannels(
  reading: GuildPass,
  { guild, channels }: GuildListing,
  read: ReadonlySet<string>,
): AsyncGenerator<SourceEvent> {
  const { client, pass, settings } = reading
  const unread: string[] = []
  for await (const id of knownChildren(pass, guild))
    if (!nonChannelIds.has(id) && !read.has(id)) unread.push(id)
  for (const id of unread) {
    pass.signal.throwIfAborted()
    const isLeftOut = channels.has(id) && settings.channelFilter.length > 0
    if (isLeftOut || !(await channelExists(client, id))) {
      yield* removePath(reading, channelPath(guild, id))
      yield dropState(reading, id)
    }
  }
}

async function channelExists(client: GuildPass['client'], id: string): Promise<boolean> {
  try {
    return (await client.channel(id)) !== undefined
  } catch (error) {
    if (isFault(error, 'forbidden', 'refused')) return true
    throw error
  }
}

/**
 * Without its intent a bot receives all messages without content; reports a pass that saw no content at all.
 */
export function* reportMissingContent(
  { seen }: Pick<GuildPass, 'seen'>,
  guild: string,
): Generator<SourceEvent> {
  if (!seen.isMissing()) return
  const message = 'message content intent is off: every message came without its content'
  yield {
    event: 'fault',
    path: guild,
    message,
    isRecoverable: true,
    guidance:
      'enable Message Content Intent for the bot in the Discord developer portal (Bot, Privileged Gateway Intents), then memory sources sync',
  }
  yield { event: 'status', message }
}

/** A paused pass begins with the channel where it stopped; earlier ones follow at the end. */
function startingAt(channels: readonly WireChannel[], guild: string, frontier: string | null): WireChannel[] {
  const at = channels.findIndex(({ id }) => channelPath(guild, id) === frontier)
  return at <= 0 ? [...channels] : [...channels.slice(at), ...channels.slice(0, at)]
}
