import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { isThread, type Place } from './artifacts.js'
import type { ArchivedThreads } from './guild-client.js'
import { type Names, namesOf } from './names.js'
import { channelPath } from './paths.js'
import type { Reading } from './reading.js'

/** Text, voice, announcements, stages: where messages stand. Forums (15) and galleries (16) have threads alone. */
const speaking = new Set([0, 2, 5, 10, 11, 12, 13])
/** Discord's number for a channel that is not shown. */
const missingAccess = 50001
const withThreads = new Set([0, 5, 15, 16])
/** Private threads hang on text channels alone. */
const withPrivateThreads = new Set([0])

/** What there is in one server, as far as it is shown and asked for. */
export interface Listing {
  guild: string
  names: Names
  channels: Map<string, WireChannel>
}

export type Filter = (channel: WireChannel) => boolean

/** Lists a server's channels and threads, and tells of what is not shown. @returns undefined for one that is not ours */
export async function* listGuild(
  reading: Reading,
  id: string,
): AsyncGenerator<SourceEvent, Listing | undefined> {
  const { client, settings } = reading
  try {
    const guild = await client.guild(id)
    const channels = await client.channels(id)
    const threads = settings.includeThreads ? await client.activeThreads(id) : []
    const listing = { guild: id, names: namesOf(guild, channels), channels: byId(channels) }
    const isWanted = filterOf(settings.channelFilter, listing)
    if (settings.includeThreads && settings.includeArchivedThreads)
      for (const channel of channels.filter(isWanted))
        threads.push(...(yield* archived(reading, id, channel)))
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

/** What the filter of a source lets through: a channel by its number or name, or that of what it stands in. */
export function filterOf(channelFilter: readonly string[], { channels }: Pick<Listing, 'channels'>): Filter {
  if (channelFilter.length === 0) return () => true
  const wanted = new Set(channelFilter.map(folded))
  const isWanted = (channel: WireChannel | undefined, depth = 0): boolean => {
    if (!channel || depth > 2) return false
    if (wanted.has(channel.id) || wanted.has(folded(channel.name ?? ''))) return true
    return isWanted(channels.get(channel.parent_id ?? ''), depth + 1)
  }
  return channel => isWanted(channel)
}

/** Whether messages stand in it. */
export function hasMessages({ type }: WireChannel): boolean {
  return speaking.has(type)
}

/** `#channel`, of a thread `#channel > thread`. */
export function placeOf(
  { guild, channels }: Pick<Listing, 'guild' | 'channels'>,
  channel: WireChannel,
): Place {
  const own = channel.name || channel.id
  const parent = isThread(channel) ? channels.get(channel.parent_id ?? '') : undefined
  const title = parent ? `#${parent.name || parent.id} > ${own}` : `#${own}`
  return { guild, channel: channel.id, title }
}

async function* archived(
  reading: Reading,
  guild: string,
  channel: WireChannel,
): AsyncGenerator<SourceEvent, WireChannel[]> {
  if (!withThreads.has(channel.type)) return []
  const found = yield* archivedIn(reading, { guild, channel, list: 'public' })
  const threads = found ?? []
  if (!reading.settings.includePrivateArchivedThreads || !withPrivateThreads.has(channel.type)) return threads
  const all = yield* archivedIn(reading, { guild, channel, list: 'private' })
  // Those that the bot was added to are shown without a permission.
  const some = all ?? (yield* archivedIn(reading, { guild, channel, list: 'joined' })) ?? []
  return [...threads, ...some]
}

const guidances: Readonly<Record<ArchivedThreads, string>> = {
  public: 'give the bot the permission Read Message History in this channel',
  private:
    'give the bot the permission Manage Threads in this channel, or add it to the threads that it should read',
  joined: 'give the bot the permission Read Message History in this channel',
}

/** @returns undefined where the list is not shown to the bot, which is told. */
async function* archivedIn(
  { client }: Reading,
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
      // A list that leads back to where it was has no end.
      if (!page.hasMore || !before || seen.has(before)) return threads
      seen.add(before)
    }
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing', 'refused')) throw error
    // A channel that is hidden altogether is told of once, with its messages.
    if (error.code === missingAccess && list === 'public' && hasMessages(channel)) return undefined
    yield {
      event: 'fault',
      path: `${channelPath(guild, channel.id)}/archived-${list}`,
      message: `archived ${list === 'public' ? '' : 'private '}threads of #${channel.name || channel.id} were left out: ${error.message}`,
      isRecoverable: true,
      guidance: guidances[list],
    }
    return undefined
  }
}

/** Names in the filter that nothing in the server has: most often a typing error. */
async function* unknownNames(
  { settings: { channelFilter, guildIds } }: Reading,
  guild: string,
  channels: ReadonlyMap<string, WireChannel>,
): AsyncGenerator<SourceEvent> {
  // With several servers a name may be meant for another one.
  if (guildIds.length > 1) return
  const there = new Set([...channels.values()].flatMap(({ id, name }) => [id, folded(name ?? '')]))
  for (const name of channelFilter.filter(one => !there.has(folded(one))))
    yield {
      event: 'fault',
      path: `${guild}/${name}`,
      message: `there is no channel ${name} in the server, or it is not shown to the bot`,
      isRecoverable: true,
      guidance: 'look at its name, or give its number: Discord copies it with developer mode switched on',
    }
}

function byId(channels: readonly WireChannel[]): Map<string, WireChannel> {
  return new Map(channels.map(channel => [channel.id, channel]))
}

function folded(name: string): string {
  return name.trim().replace(/^#/u, '').normalize('NFC').toLowerCase()
}
