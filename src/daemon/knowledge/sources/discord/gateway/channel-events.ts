import {
  type WireChannel,
  type WireMemberThere,
  wireChannel,
  wireGone,
  wireMemberGone,
  wireMemberThere,
  wireThreadList,
  wireThreadMembers,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { SourceEvent } from '../../core/kind.js'
import { isThread, memberArtifact } from '../servers/artifacts.js'
import { dropState } from '../servers/channel-state.js'
import { removePath } from '../servers/known-paths.js'
import { channelPath, memberPath } from '../servers/paths.js'
import { readChannel, readGuild, reportChannel } from '../servers/read-guild.js'
import { reportArtifact } from '../servers/tell-message.js'
import { type EventHandler, handlerOf, type WatchContext } from './message-events.js'

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
    yield { event: 'status', message: `the server ${id} is down; it is followed once it is back` }
  else
    yield {
      event: 'fault',
      path: id,
      message: `the bot is not in the server ${id} any more; what was read stays`,
      isRecoverable: true,
      guidance: 'invite the bot to the server, or take the server out of the source',
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
