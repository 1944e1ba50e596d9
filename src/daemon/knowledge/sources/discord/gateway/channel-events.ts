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
import { goneWhole } from '../servers/known-paths.js'
import { channelPath, memberPath } from '../servers/paths.js'
import { readChannel, readGuild, tellChannel } from '../servers/read-guild.js'
import { tellIfChanged } from '../servers/tell-message.js'
import { type Apply, event, type Watching } from './message-events.js'

/** A channel or thread that is new, or new to the bot: what was said in it before is read. */
async function* appeared(watching: Watching, channel: WireChannel): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = channel.guild_id ?? ''
  servers.putChannel(guild, channel)
  const listing = servers.of(guild)
  if (!listing || !(await servers.channelOf(reading, guild, channel.id))) return
  yield* isThread(channel) ? readChannel(reading, listing, channel) : tellChannel(reading, listing, channel)
}

/** Its messages carry its name: under a new one they are told anew, which reading it does. */
async function* changed(watching: Watching, channel: WireChannel): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = channel.guild_id ?? ''
  const before = servers.of(guild)?.channels.get(channel.id)
  servers.putChannel(guild, channel)
  const listing = servers.of(guild)
  if (!listing || !(await servers.channelOf(reading, guild, channel.id))) return
  if (before?.name === channel.name) yield* tellChannel(reading, listing, channel)
  else yield* readChannel(reading, listing, channel)
}

async function* gone(
  { reading, servers }: Watching,
  { id, guild_id: guild }: { id: string; guild_id?: string | null },
): AsyncGenerator<SourceEvent> {
  if (!guild || !servers.of(guild)) return
  servers.dropChannel(guild, id)
  yield* goneWhole(reading, channelPath(guild, id))
  yield dropState(reading, id)
}

async function* memberThere(
  { reading, servers }: Watching,
  member: WireMemberThere,
): AsyncGenerator<SourceEvent> {
  const listing = servers.of(member.guild_id)
  if (listing && reading.settings.includeMembers)
    yield* tellIfChanged(reading, memberArtifact(listing.guild, member, listing.names))
}

/** A server that was down, or that the bot is in again: what was said meanwhile is read. */
async function* serverThere(
  { reading, servers }: Watching,
  { id }: { id: string },
): AsyncGenerator<SourceEvent> {
  if (!servers.away.has(id)) return
  const listing = yield* readGuild(reading, id)
  if (listing) servers.put(listing)
}

async function* serverGone(
  { servers }: Watching,
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

/** What is done with events of channels, threads, members and servers, by their names. */
export const channelEvents: Readonly<Record<string, Apply>> = {
  CHANNEL_CREATE: event(wireChannel, appeared),
  CHANNEL_UPDATE: event(wireChannel, changed),
  CHANNEL_DELETE: event(wireGone, gone),
  THREAD_CREATE: event(wireChannel, appeared),
  THREAD_UPDATE: event(wireChannel, changed),
  THREAD_DELETE: event(wireGone, gone),
  THREAD_LIST_SYNC: event(wireThreadList, async function* (watching, { guild_id, threads }) {
    for (const thread of threads) yield* appeared(watching, { ...thread, guild_id })
  }),
  THREAD_MEMBERS_UPDATE: event(wireThreadMembers, async function* (watching, { id, guild_id: guild }) {
    const { reading, servers } = watching
    const listing = servers.of(guild)
    const thread = listing && (await servers.channelOf(reading, guild, id))
    if (thread && reading.settings.includeThreadMembers) yield* tellChannel(reading, listing, thread)
  }),
  GUILD_MEMBER_ADD: event(wireMemberThere, memberThere),
  GUILD_MEMBER_UPDATE: event(wireMemberThere, memberThere),
  GUILD_MEMBER_REMOVE: event(wireMemberGone, async function* ({ reading, servers }, { guild_id, user }) {
    if (servers.of(guild_id)) yield* goneWhole(reading, memberPath(guild_id, user.id))
  }),
  GUILD_CREATE: event(wireGone, serverThere),
  GUILD_DELETE: event(wireGone, serverGone),
}
