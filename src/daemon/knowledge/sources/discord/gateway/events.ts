import type { z } from 'zod'
import {
  type WireChannel,
  type WireMemberThere,
  type WireMessage,
  wireChannel,
  wireDeleted,
  wireGone,
  wireMemberGone,
  wireMemberThere,
  wireMessage,
  wireThreadList,
  wireThreadMembers,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { SourceEvent } from '../../core/kind.js'
import { isThread, memberArtifact } from '../servers/artifacts.js'
import type { GuildClient } from '../servers/guild-client.js'
import { dropState, noteNewest, removePath } from '../servers/known-paths.js'
import { filterOf, type GuildListing, placeOf } from '../servers/list.js'
import { channelPath, memberPath, messagePath } from '../servers/paths.js'
import { readChannel, readGuild, reportChannel, reportMissingContent } from '../servers/read-guild.js'
import { type GuildPass, shapeOf } from '../servers/reading.js'
import { reportArtifact, reportMessage } from '../servers/tell-message.js'

/** The state that event handlers use. */
interface WatchContext {
  reading: GuildPass
  servers: Servers
}

/** Handles one gateway event. */
type EventHandler = (watching: WatchContext, data: unknown) => AsyncGenerator<SourceEvent>

/** The followed servers with their channels and names, updated by events. */
export class Servers {
  readonly #listings = new Map<string, GuildListing>()
  /** Servers that are down or from which the bot was removed. */
  readonly away = new Set<string>()

  put(listing: GuildListing): void {
    this.#listings.set(listing.guild, listing)
    this.away.delete(listing.guild)
  }

  /** Returns undefined for a server outside of the source. */
  of(guild: string | null | undefined): GuildListing | undefined {
    return this.#listings.get(guild ?? '')
  }

  /** Updates a channel or thread. */
  putChannel(guild: string, channel: WireChannel): void {
    const listing = this.#listings.get(guild)
    if (!listing) return
    const names = new Map(listing.names.channels)
    if (channel.name) names.set(channel.id, channel.name)
    const channels = new Map(listing.channels).set(channel.id, channel)
    this.#listings.set(guild, { ...listing, channels, names: { ...listing.names, channels: names } })
  }

  dropChannel(guild: string, id: string): void {
    this.#listings.get(guild)?.channels.delete(id)
  }

  /**
   * Returns the channel of a message, requesting it if no event has described it.
   * @returns undefined if the channel is not read
   */
  async channelOf(
    { client, settings }: GuildPass & { client: GuildClient },
    guild: string,
    id: string,
  ): Promise<WireChannel | undefined> {
    if (!this.#listings.get(guild)?.channels.has(id)) {
      const asked = await client.channel(id)
      if (asked) this.putChannel(guild, asked)
    }
    const listing = this.#listings.get(guild)
    const channel = listing?.channels.get(id)
    if (!listing || !channel || (isThread(channel) && !settings.includeThreads)) return undefined
    return filterOf(settings.channelFilter, listing)(channel) ? channel : undefined
  }
}

/** Makes a handler that ignores events with data of another form. */
function handlerOf<T extends z.ZodType>(
  schema: T,
  apply: (watching: WatchContext, data: z.infer<T>) => AsyncGenerator<SourceEvent>,
): EventHandler {
  return async function* (watching, data) {
    const known = schema.safeParse(data)
    if (known.success) yield* apply(watching, known.data)
  }
}

async function* applyCreate(watching: WatchContext, message: WireMessage): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = message.guild_id ?? ''
  if (!servers.of(guild)) return
  const channel = await servers.channelOf(reading, guild, message.channel_id)
  const listing = servers.of(guild)
  if (!channel || !listing) return
  const place = placeOf(listing, channel)
  yield* reportMessage(reading, message, { place, names: listing.names })
  const shape = shapeOf(reading.settings, place.title)
  yield* noteNewest(reading, { channel: channel.id, shape, message: message.id })
  yield* reportMissingContent(reading, guild)
}

/** An update may contain only the changed fields; then the whole message is requested. */
async function* applyUpdate(watching: WatchContext, part: WireMessage): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  if (!servers.of(part.guild_id)) return
  const isWhole = part.author && part.timestamp && typeof part.content === 'string'
  const message = isWhole ? part : await reading.client.message(part.channel_id, part.id)
  if (message) yield* applyCreate(watching, { ...message, guild_id: part.guild_id })
  else yield* applyDelete(watching, part)
}

async function* applyDelete(
  { reading, servers }: WatchContext,
  { guild_id: guild, channel_id: channel, id, ids = [] }: z.infer<typeof wireDeleted>,
): AsyncGenerator<SourceEvent> {
  if (!guild || !servers.of(guild)) return
  for (const gone of [...ids, ...(id ? [id] : [])])
    yield* removePath(reading, messagePath(guild, channel, gone))
}

/** Handlers for message events. */
export const messageEvents: Readonly<Record<string, EventHandler>> = {
  MESSAGE_CREATE: handlerOf(wireMessage, applyCreate),
  MESSAGE_UPDATE: handlerOf(wireMessage, applyUpdate),
  MESSAGE_DELETE: handlerOf(wireDeleted, applyDelete),
  MESSAGE_DELETE_BULK: handlerOf(wireDeleted, applyDelete),
}

/** Handles a channel or thread that is new, or newly visible to the bot: reads its earlier messages. */
async function* applyChannelCreate(
  watching: WatchContext,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = channel.guild_id ?? ''
  servers.putChannel(guild, channel)
  const listing = servers.of(guild)
  if (!listing || !(await servers.channelOf(reading, guild, channel.id))) return
  yield* isThread(channel) ? readChannel(reading, listing, channel) : reportChannel(reading, listing, channel)
}

/** Messages contain their channel's name, so after a rename the channel is read again. */
async function* applyChannelUpdate(
  watching: WatchContext,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = channel.guild_id ?? ''
  const before = servers.of(guild)?.channels.get(channel.id)
  servers.putChannel(guild, channel)
  const listing = servers.of(guild)
  if (!listing || !(await servers.channelOf(reading, guild, channel.id))) return
  if (before?.name === channel.name) yield* reportChannel(reading, listing, channel)
  else yield* readChannel(reading, listing, channel)
}

async function* applyChannelDelete(
  { reading, servers }: WatchContext,
  { id, guild_id: guild }: { id: string; guild_id?: string | null },
): AsyncGenerator<SourceEvent> {
  if (!guild || !servers.of(guild)) return
  servers.dropChannel(guild, id)
  yield* removePath(reading, channelPath(guild, id))
  yield dropState(reading, id)
}

async function* applyMember(
  { reading, servers }: WatchContext,
  member: WireMemberThere,
): AsyncGenerator<SourceEvent> {
  const listing = servers.of(member.guild_id)
  if (listing && reading.settings.includeMembers)
    yield* reportArtifact(reading, memberArtifact(listing.guild, member, listing.names))
}

/** Handles a server that is available again: reads the messages missed in the meantime. */
async function* applyServerAvailable(
  { reading, servers }: WatchContext,
  { id }: { id: string },
): AsyncGenerator<SourceEvent> {
  if (!servers.away.has(id)) return
  const listing = yield* readGuild(reading, id)
  if (listing) servers.put(listing)
}

async function* applyServerGone(
  { servers }: WatchContext,
  { id, unavailable }: { id: string; unavailable?: boolean | null },
): AsyncGenerator<SourceEvent> {
  if (!servers.of(id)) return
  servers.away.add(id)
  if (unavailable)
    yield { event: 'status', message: `the server ${id} is down; reading resumes when it is back` }
  else
    yield {
      event: 'fault',
      path: id,
      message: `the bot is no longer in the server ${id}; messages read so far are kept`,
      isRecoverable: true,
      guidance: 'invite the bot to the server, or remove the server from the source',
    }
}

/** Handlers for events of channels, threads, members and servers. */
export const channelEvents: Readonly<Record<string, EventHandler>> = {
  CHANNEL_CREATE: handlerOf(wireChannel, applyChannelCreate),
  CHANNEL_UPDATE: handlerOf(wireChannel, applyChannelUpdate),
  CHANNEL_DELETE: handlerOf(wireGone, applyChannelDelete),
  THREAD_CREATE: handlerOf(wireChannel, applyChannelCreate),
  THREAD_UPDATE: handlerOf(wireChannel, applyChannelUpdate),
  THREAD_DELETE: handlerOf(wireGone, applyChannelDelete),
  THREAD_LIST_SYNC: handlerOf(wireThreadList, async function* (watching, { guild_id, threads }) {
    for (const thread of threads) yield* applyChannelCreate(watching, { ...thread, guild_id })
  }),
  THREAD_MEMBERS_UPDATE: handlerOf(wireThreadMembers, async function* (watching, { id, guild_id: guild }) {
    const { reading, servers } = watching
    const listing = servers.of(guild)
    const thread = listing && (await servers.channelOf(reading, guild, id))
    if (thread && reading.settings.includeThreadMembers) yield* reportChannel(reading, listing, thread)
  }),
  GUILD_MEMBER_ADD: handlerOf(wireMemberThere, applyMember),
  GUILD_MEMBER_UPDATE: handlerOf(wireMemberThere, applyMember),
  GUILD_MEMBER_REMOVE: handlerOf(wireMemberGone, async function* ({ reading, servers }, { guild_id, user }) {
    if (servers.of(guild_id)) yield* removePath(reading, memberPath(guild_id, user.id))
  }),
  GUILD_CREATE: handlerOf(wireGone, applyServerAvailable),
  GUILD_DELETE: handlerOf(wireGone, applyServerGone),
}
