import type { ChannelState, MessageListing } from '../../../../../contract/knowledge/sources/discord.js'
import type { WireChannel, WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { dayMs } from '../../../../../lib/time/time.js'
import { isFault } from '../../../../ground/fetch/api-faults.js'
import type { SourceEvent } from '../../core/kind.js'
import { pageSize } from './guild-client.js'
import { artifactsBelow, knownChildren, loadState, removeUnlisted, storeState } from './known-paths.js'
import { channelPath, compareIds, firstIdAt } from './paths.js'
import { type ChannelToRead, type GuildPass, shapeOf } from './reading.js'
import { reportMessage } from './tell-message.js'

/** Interval of complete listings: only they find old changes and deletions. */
const relistMs = 7 * dayMs

/**
 * Reads the messages of one channel or thread: completely at first and once a week, otherwise from the newest
 * down to a known one (sources.md#discord). Each page ends with a checkpoint, where an interrupted pass
 * continues. A message is removed only if it lies between two listed ones and was not listed.
 */
export async function* walkChannel(reading: GuildPass, walked: ChannelToRead): AsyncGenerator<SourceEvent> {
  const { channel, place } = walked
  const { pass, settings } = reading
  const state = await loadState(reading, channel.id, shapeOf(settings, place.title))
  if (!state.walk && !isDue(reading, state) && isUnchangedArchive(channel, state)) {
    // Renews the checkpoint, so that it does not count as stale.
    yield storeState(reading, channel.id, state)
    return
  }
  try {
    const ended = state.walk ? yield* walk(reading, walked, state, state.walk) : state
    const fresh = { newest: null, before: null, isWhole: isDue(reading, ended), messages: 0 }
    yield* walk(reading, walked, ended, fresh)
  } catch (error) {
    if (!isFault(error, 'forbidden', 'missing', 'refused')) throw error
    pass.signal.throwIfAborted()
    yield {
      event: 'fault',
      path: channelPath(place.guild, channel.id),
      message: `${place.title} was skipped: ${error.message}`,
      isRecoverable: true,
      guidance:
        'give the bot the permissions View Channel and Read Message History there, or remove it from channels',
    }
  }
}

/** True if a complete listing is due: there was none, it is too old, or the pass is full. */
function isDue({ pass, clock }: GuildPass, { listedAt, listedIn, newest }: ChannelState): boolean {
  if (listedAt === null || newest === null) return true
  if (pass.full) return listedIn !== pass.number
  return clock().getTime() - Date.parse(listedAt) > relistMs
}

/** Archived threads cannot change. */
function isUnchangedArchive(channel: WireChannel, { newest }: ChannelState): boolean {
  return channel.thread_metadata?.archived === true && channel.last_message_id === newest
}

async function* walk(
  reading: GuildPass,
  walked: ChannelToRead,
  state: ChannelState,
  begun: MessageListing,
): AsyncGenerator<SourceEvent, ChannelState> {
  const { client, pass, clock } = reading
  const { channel } = walked
  let current = begun
  for (;;) {
    pass.signal.throwIfAborted()
    const before = current.before ?? undefined
    const page = (await client.messages(channel.id, { before })).sort((a, b) => compareIds(b.id, a.id))
    const kept = yield* reportPage(reading, walked, current, page)
    const last = kept.at(-1)?.id
    current = {
      ...current,
      newest: current.newest ?? page[0]?.id ?? null,
      before: last ?? current.before,
      messages: current.messages + kept.length,
    }
    // A page that does not lead to older messages would be requested forever.
    const isStuck = last !== undefined && before !== undefined && compareIds(last, before) >= 0
    const isFull = current.messages >= mostMessages(reading)
    if (kept.length < pageSize || isStuck || isFull || isKnown(state, current)) break
    yield storeState(reading, channel.id, { ...state, walk: current })
  }
  const ended: ChannelState = {
    ...state,
    newest: newer(state.newest, current.newest) ?? '0',
    ...(current.isWhole && { listedAt: clock().toISOString(), listedIn: pass.number }),
    walk: null,
  }
  yield storeState(reading, channel.id, ended)
  return ended
}

/**
 * Reports one page and removes missing messages.
 * @returns the selected messages of the page
 */
async function* reportPage(
  reading: GuildPass,
  walked: ChannelToRead,
  { before, messages }: MessageListing,
  page: readonly WireMessage[],
): AsyncGenerator<SourceEvent, WireMessage[]> {
  const { settings, pass } = reading
  const { place } = walked
  const path = channelPath(place.guild, place.channel)
  const since = settings.since ? firstIdAt(settings.since) : '0'
  const wanted = page.filter(({ id }) => compareIds(id, since) >= 0)
  const kept = wanted.slice(0, mostMessages(reading) - messages)
  for (const message of kept) yield* reportMessage(reading, message, walked)
  const last = kept.at(-1)?.id
  if (page.length === 0) yield* emptyChannel(reading, walked, before)
  if (last === undefined) return kept
  const isEnd = kept.length === page.length && page.length < pageSize
  const listed = new Set(kept.map(({ id }) => id))
  const upTo = before ?? undefined
  yield* removeUnlisted(pass, path, { after: isEnd ? '0' : last, before: upTo, listed })
  return kept
}

function mostMessages({ settings }: GuildPass): number {
  return settings.maxMessagesPerChannel ?? Number.POSITIVE_INFINITY
}

function isKnown({ newest }: ChannelState, { isWhole, before }: MessageListing): boolean {
  return !isWhole && newest !== null && before !== null && compareIds(before, newest) <= 0
}

function newer(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return compareIds(a, b) >= 0 ? a : b
}

/**
 * Interprets an empty page. It may mean a channel without messages, the end of the history, or that the bot
 * may not read the history; so an empty page alone removes nothing. Requesting a single message decides:
 * without the permission it is refused.
 * @param before the id below which the page was requested; null at the top
 */
async function* emptyChannel(
  reading: GuildPass,
  { channel, place }: Omit<ChannelToRead, 'names'>,
  before: string | null,
): AsyncGenerator<SourceEvent> {
  const { client, pass } = reading
  const path = channelPath(place.guild, place.channel)
  if (before !== null) {
    const first = (await client.messages(channel.id, { after: '0' })).sort((a, b) =>
      compareIds(a.id, b.id),
    )[0]
    if (first?.id !== before) return
    for await (const known of artifactsBelow(pass, path))
      if (compareIds(idOf(known.path, path), before) < 0) yield { event: 'removed', path: known.path }
    return
  }
  const asked = (await newestKnown(reading, path)) ?? channel.last_message_id
  if (!asked) return
  try {
    const stillThere = await client.message(channel.id, asked)
    if (stillThere) return
    for await (const known of artifactsBelow(pass, path)) yield { event: 'removed', path: known.path }
  } catch (error) {
    if (!isFault(error, 'forbidden')) throw error
    yield {
      event: 'fault',
      path,
      message: `${place.title} shows no messages to the bot`,
      isRecoverable: true,
      guidance: 'give the bot the permission Read Message History in this channel',
    }
  }
}

async function newestKnown({ pass }: GuildPass, path: string): Promise<string | undefined> {
  let newest: string | undefined
  for await (const id of knownChildren(pass, path))
    if (newest === undefined || compareIds(id, newest) > 0) newest = id
  return newest
}

function idOf(path: string, channel: string): string {
  return path.slice(channel.length + 1).split('/', 1)[0] ?? ''
}
