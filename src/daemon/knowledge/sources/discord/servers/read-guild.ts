import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { channelArtifact, isThread } from './artifacts.js'
import { dropState } from './channel-state.js'
import { goneWhole, knownChildren } from './known-paths.js'
import { filterOf, hasMessages, type Listing, listGuild, placeOf } from './list.js'
import { channelPath } from './paths.js'
import { readMembers, threadMembers } from './read-members.js'
import type { Reading } from './reading.js'
import { compareIds } from './snowflake.js'
import { tellIfChanged } from './tell-message.js'
import { walkChannel } from './walk-channel.js'

/** Where the children of a server that are no channels stand. */
const noChannels = new Set(['members'])

/**
 * One pass over one server: its channels and threads with their messages, one after the other, then its members.
 * @returns what was listed; undefined for a server that the bot does not see
 */
export async function* readGuild(
  reading: Reading,
  guild: string,
): AsyncGenerator<SourceEvent, Listing | undefined> {
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
  yield* goneChannels(reading, listing, new Set(wanted.map(({ id }) => id)))
  if (settings.includeMembers) yield* readMembers(reading, listing)
  yield* tellOfContent(reading, guild)
  return listing
}

/** Tells of one channel or thread, and of its messages. */
export async function* readChannel(
  reading: Reading,
  listing: Pick<Listing, 'guild' | 'names' | 'channels'>,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  reading.pass.signal.throwIfAborted()
  yield* tellChannel(reading, listing, channel)
  const place = placeOf(listing, channel)
  if (hasMessages(channel)) yield* walkChannel(reading, { channel, place, names: listing.names })
}

/** Tells what a channel or thread is about: its topic, its tags, who is in it. */
export async function* tellChannel(
  reading: Reading,
  listing: Pick<Listing, 'guild' | 'channels'>,
  channel: WireChannel,
): AsyncGenerator<SourceEvent> {
  const parent = listing.channels.get(channel.parent_id ?? '')
  const tagNames = new Map((parent?.available_tags ?? []).map(({ id, name }) => [id, name]))
  const applied = (channel.applied_tags ?? []).flatMap(id => tagNames.get(id) ?? [])
  const path = channelPath(listing.guild, channel.id)
  const asksMembers = isThread(channel) && reading.settings.includeThreadMembers
  const members = asksMembers ? yield* threadMembers(reading, { id: channel.id, path }) : []
  const tags = [...applied, ...(channel.available_tags ?? []).map(({ name }) => name)]
  yield* tellIfChanged(reading, channelArtifact(channel, placeOf(listing, channel), { tags, members }))
}

/**
 * Channels and threads of which something is known and that were not read: gone when Discord says so of this one, or when
 * the settings leave them out. Lists alone do not say it: what a bot is not shown is not in them.
 */
async function* goneChannels(
  reading: Reading,
  { guild, channels }: Listing,
  read: ReadonlySet<string>,
): AsyncGenerator<SourceEvent> {
  const { client, pass, settings } = reading
  const unread: string[] = []
  for await (const id of knownChildren(pass, guild)) if (!noChannels.has(id) && !read.has(id)) unread.push(id)
  for (const id of unread) {
    pass.signal.throwIfAborted()
    const isLeftOut = channels.has(id) && settings.channelFilter.length > 0
    if (isLeftOut || !(await isThere(client, id))) {
      yield* goneWhole(reading, channelPath(guild, id))
      yield dropState(reading, id)
    }
  }
}

async function isThere(client: Reading['client'], id: string): Promise<boolean> {
  try {
    return (await client.channel(id)) !== undefined
  } catch (error) {
    if (isFault(error, 'forbidden', 'refused')) return true
    throw error
  }
}

/** Without its intent a program is shown every message without what it says: a pass that read nothing else says so. */
export function* tellOfContent({ seen }: Pick<Reading, 'seen'>, guild: string): Generator<SourceEvent> {
  if (!seen.isMissing()) return
  const message = 'message content intent is off: every message came without its content'
  yield {
    event: 'fault',
    path: guild,
    message,
    isRecoverable: true,
    guidance:
      'switch on Message Content Intent for the bot in the developer portal of Discord (Bot, Privileged Gateway Intents), then memory sources sync',
  }
  yield { event: 'status', message }
}

/** A paused pass begins with the channel that it stopped at; those before it follow. */
function startingAt(channels: readonly WireChannel[], guild: string, frontier: string | null): WireChannel[] {
  const at = channels.findIndex(({ id }) => channelPath(guild, id) === frontier)
  return at <= 0 ? [...channels] : [...channels.slice(at), ...channels.slice(0, at)]
}
