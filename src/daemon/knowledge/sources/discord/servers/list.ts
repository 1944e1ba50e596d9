import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isFault } from '../../../../ground/fetch/api-faults.js'
import type { SourceEvent } from '../../core/kind.js'
import { isThread, type MessagePlace } from './artifacts.js'
import type { ArchivedThreads } from './guild-client.js'
import { type Names, namesOf } from './names.js'
import { channelPath } from './paths.js'
import type { GuildPass } from './reading.js'

/**
 * Channel types with messages: text, voice, announcement, stage. Forums (15) and galleries (16) only have
 * threads.
 */
const messageTypes = new Set([0, 2, 5, 10, 11, 12, 13])
/** Discord's error code for a channel that the bot may not see. */
const missingAccess = 50001
const withThreads = new Set([0, 5, 15, 16])
/** Only text channels have private threads. */
const withPrivateThreads = new Set([0])

/** The visible and selected channels of one server. */
export interface GuildListing {
  guild: string
  names: Names
  channels: Map<string, WireChannel>
}

export type ChannelFilter = (channel: WireChannel) => boolean

/**
 * Lists a server's channels and threads, and reports hidden ones.
 * @returns undefined if the bot does not see the server
 */
export async function* listGuild(
  reading: GuildPass,
  id: string,
): AsyncGenerator<SourceEvent, GuildListing | undefined> {
  const { client, settings } = reading
  try {
    const guild = await client.guild(id)
    const channels = await client.channels(id)
    const threads = settings.includeThreads ? await client.activeThreads(id) : []
    const listing = { guild: id, names: namesOf(guild, channels), channels: byId(channels) }
    const isWanted = filterOf(settings.channelFilter, listing)
    if (settings.includeThreads && settings.includeArchivedThreads)
      for (const channel of channels.filter(isWanted))
        threads.push(...(yield* archivedThreadsOf(reading, id, channel)))
    const all = byId([...channels, ...threads])
    yield* unknownNames(reading, id, all)
    return { ...listing, names: namesOf(guild, [...all.values()]), channels: all }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing')) throw error
    yield {
      event: 'fault',
      path: id,
      message: `the bot does not see the server ${id}: ${error.message}`,
      isRecoverable: true,
      guidance: 'invite the bot to the server with the permissions View Channels and Read Message History',
    }
    return undefined
  }
}

/** Returns the channel filter of a source: it matches ids and names of a channel and of its parents. */
export function filterOf(
  channelFilter: readonly string[],
  { channels }: Pick<GuildListing, 'channels'>,
): ChannelFilter {
  if (channelFilter.length === 0) return () => true
  const wanted = new Set(channelFilter.map(folded))
  const isWanted = (channel: WireChannel | undefined, depth = 0): boolean => {
    if (!channel || depth > 2) return false
    if (wanted.has(channel.id) || wanted.has(folded(channel.name ?? ''))) return true
    return isWanted(channels.get(channel.parent_id ?? ''), depth + 1)
  }
  return channel => isWanted(channel)
}

export function hasMessages({ type }: WireChannel): boolean {
  return messageTypes.has(type)
}

/** Returns the location with the title `#channel`, or `#channel > thread`. */
export function placeOf(
  { guild, channels }: Pick<GuildListing, 'guild' | 'channels'>,
  channel: WireChannel,
): MessagePlace {
  const own = channel.name || channel.id
  const parent = isThread(channel) ? channels.get(channel.parent_id ?? '') : undefined
  const title = parent ? `#${parent.name || parent.id} > ${own}` : `#${own}`
  return { guild, channel: channel.id, title }
}

async function* archivedThreadsOf(
  reading: GuildPass,
  guild: string,
  channel: WireChannel,
): AsyncGenerator<SourceEvent, WireChannel[]> {
  if (!withThreads.has(channel.type)) return []
  const found = yield* listArchived(reading, { guild, channel, list: 'public' })
  const threads = found ?? []
  if (!reading.settings.includePrivateArchivedThreads || !withPrivateThreads.has(channel.type)) return threads
  const all = yield* listArchived(reading, { guild, channel, list: 'private' })
  // Threads that the bot was added to are visible without a permission.
  const some = all ?? (yield* listArchived(reading, { guild, channel, list: 'joined' })) ?? []
  return [...threads, ...some]
}

const guidances: Readonly<Record<ArchivedThreads, string>> = {
  public: 'give the bot the permission Read Message History in this channel',
  private:
    'give the bot the permission Manage Threads in this channel, or add it to the threads that it should read',
  joined: 'give the bot the permission Read Message History in this channel',
}

/** @returns undefined if the bot may not see the list, which is reported */
async function* listArchived(
  { client }: GuildPass,
  { guild, channel, list }: { guild: string; channel: WireChannel; list: ArchivedThreads },
): AsyncGenerator<SourceEvent, WireChannel[] | undefined> {
  const threads: WireChannel[] = []
  const seen = new Set<string>()
  try {
    for (let before: string | undefined; ; ) {
      const page = await client.archivedThreads(channel.id, list, before)
      threads.push(...page.threads)
      const last = page.threads.at(-1)
      before = list === 'joined' ? last?.id : (last?.thread_metadata?.archive_timestamp ?? undefined)
      // A repeated position means that the list would never end.
      if (!page.hasMore || !before || seen.has(before)) return threads
      seen.add(before)
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing', 'refused')) throw error
    // A completely hidden channel is reported once, when its messages are read.
    if (error.code === missingAccess && list === 'public' && hasMessages(channel)) return undefined
    yield {
      event: 'fault',
      path: `${channelPath(guild, channel.id)}/archived-${list}`,
      message: `archived ${list === 'public' ? '' : 'private '}threads of #${channel.name || channel.id} were skipped: ${error.message}`,
      isRecoverable: true,
      guidance: guidances[list],
    }
    return undefined
  }
}

/** Reports filter names that match nothing in the server, most often typing errors. */
async function* unknownNames(
  { settings: { channelFilter, guildIds } }: GuildPass,
  guild: string,
  channels: ReadonlyMap<string, WireChannel>,
): AsyncGenerator<SourceEvent> {
  // With several servers, a name may belong to another one.
  if (guildIds.length > 1) return
  const there = new Set([...channels.values()].flatMap(({ id, name }) => [id, folded(name ?? '')]))
  for (const name of channelFilter.filter(one => !there.has(folded(one))))
    yield {
      event: 'fault',
      path: `${guild}/${name}`,
      message: `channel ${name} does not exist in the server, or the bot cannot see it`,
      isRecoverable: true,
      guidance: 'check its name, or use its id: Discord copies it in developer mode',
    }
}

function byId(channels: readonly WireChannel[]): Map<string, WireChannel> {
  return new Map(channels.map(channel => [channel.id, channel]))
}

function folded(name: string): string {
  return name.trim().replace(/^#/u, '').normalize('NFC').toLowerCase()
}
