import type { ChannelState, Walk } from '../../../../../contract/knowledge/sources/discord-progress.js'
import type { WireChannel, WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { dayMs } from '../../../../../lib/time/time.js'
import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { keepState, loadState } from './channel-state.js'
import { pageSize } from './guild-client.js'
import { goneBetween, knownBelow, knownChildren } from './known-paths.js'
import { channelPath } from './paths.js'
import { type Reading, shapeOf, type WalkedChannel } from './reading.js'
import { compareIds, firstIdAt } from './snowflake.js'
import { tellMessage } from './tell-message.js'

/** A channel is listed whole again after so long: changes and deletions far up are seen by that alone. */
const relistMs = 7 * dayMs

/**
 * Reads the messages of one channel or thread: whole the first time and once a week, else from the newest down to what
 * is known (sources.md#discord). Each page is told with a checkpoint behind it, so that a pass that was cut short goes on
 * there. What lies between two listed messages and was not listed is gone; nothing else counts as gone.
 */
export async function* walkChannel(reading: Reading, walked: WalkedChannel): AsyncGenerator<SourceEvent> {
  const { channel, place } = walked
  const { pass, settings } = reading
  const state = await loadState(reading, channel.id, shapeOf(settings, place.title))
  if (!state.walk && !isDue(reading, state) && isResting(channel, state)) {
    // Looked at, so that its checkpoint is not taken for one that is forgotten.
    yield keepState(reading, channel.id, state)
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
      message: `${place.title} was left out: ${error.message}`,
      isRecoverable: true,
      guidance:
        'give the bot the permissions View Channel and Read Message History there, or leave it out of channels',
    }
  }
}

/** Whether it is to be listed whole: never was, was too long ago, or this pass reads everything. */
function isDue({ pass, clock }: Reading, { listedAt, listedIn, newest }: ChannelState): boolean {
  if (listedAt === null || newest === null) return true
  if (pass.full) return listedIn !== pass.number
  return clock().getTime() - Date.parse(listedAt) > relistMs
}

/** Nobody writes in an archived thread, nor changes what is there. */
function isResting(channel: WireChannel, { newest }: ChannelState): boolean {
  return channel.thread_metadata?.archived === true && channel.last_message_id === newest
}

async function* walk(
  reading: Reading,
  walked: WalkedChannel,
  state: ChannelState,
  begun: Walk,
): AsyncGenerator<SourceEvent, ChannelState> {
  const { client, pass, clock } = reading
  const { channel } = walked
  let current = begun
  for (;;) {
    pass.signal.throwIfAborted()
    const before = current.before ?? undefined
    const page = (await client.messages(channel.id, { before })).sort((a, b) => compareIds(b.id, a.id))
    const kept = yield* tellPage(reading, walked, current, page)
    const last = kept.at(-1)?.id
    current = {
      ...current,
      newest: current.newest ?? page[0]?.id ?? null,
      before: last ?? current.before,
      messages: current.messages + kept.length,
    }
    // A page that leads nowhere lower would be asked for for ever.
    const isStuck = last !== undefined && before !== undefined && compareIds(last, before) >= 0
    const isFull = current.messages >= mostMessages(reading)
    if (kept.length < pageSize || isStuck || isFull || isKnown(state, current)) break
    yield keepState(reading, channel.id, { ...state, walk: current })
  }
  const ended: ChannelState = {
    ...state,
    newest: newer(state.newest, current.newest) ?? '0',
    ...(current.isWhole && { listedAt: clock().toISOString(), listedIn: pass.number }),
    walk: null,
  }
  yield keepState(reading, channel.id, ended)
  return ended
}

/** Tells one page, and what is gone from between. @returns what of it is asked for */
async function* tellPage(
  reading: Reading,
  walked: WalkedChannel,
  { before, messages }: Walk,
  page: readonly WireMessage[],
): AsyncGenerator<SourceEvent, WireMessage[]> {
  const { settings, pass } = reading
  const { place } = walked
  const path = channelPath(place.guild, place.channel)
  const since = settings.since ? firstIdAt(settings.since) : '0'
  const wanted = page.filter(({ id }) => compareIds(id, since) >= 0)
  const kept = wanted.slice(0, mostMessages(reading) - messages)
  for (const message of kept) yield* tellMessage(reading, message, walked)
  const last = kept.at(-1)?.id
  if (page.length === 0) yield* emptyChannel(reading, walked, before)
  if (last === undefined) return kept
  const isEnd = kept.length === page.length && page.length < pageSize
  const listed = new Set(kept.map(({ id }) => id))
  const upTo = before ?? undefined
  yield* goneBetween(pass, path, { after: isEnd ? '0' : last, before: upTo, listed })
  return kept
}

function mostMessages({ settings }: Reading): number {
  return settings.maxMessagesPerChannel ?? Number.POSITIVE_INFINITY
}

function isKnown({ newest }: ChannelState, { isWhole, before }: Walk): boolean {
  return !isWhole && newest !== null && before !== null && compareIds(before, newest) <= 0
}

function newer(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return compareIds(a, b) >= 0 ? a : b
}

/**
 * What an empty page means. Discord gives one for a channel without messages, below the first message, and also to a bot
 * that may not read the history: so that nothing is gone by it alone. One message is asked for by itself, which a bot
 * without that right is refused.
 * @param before below which the page was asked for; null at the top
 */
async function* emptyChannel(
  reading: Reading,
  { channel, place }: Omit<WalkedChannel, 'names'>,
  before: string | null,
): AsyncGenerator<SourceEvent> {
  const { client, pass } = reading
  const path = channelPath(place.guild, place.channel)
  if (before !== null) {
    const first = (await client.messages(channel.id, { after: '0' })).sort((a, b) =>
      compareIds(a.id, b.id),
    )[0]
    if (first?.id !== before) return
    for await (const known of knownBelow(pass, path))
      if (compareIds(idOf(known.path, path), before) < 0) yield { event: 'removed', path: known.path }
    return
  }
  const asked = (await newestKnown(reading, path)) ?? channel.last_message_id
  if (!asked) return
  try {
    const stillThere = await client.message(channel.id, asked)
    if (stillThere) return
    for await (const known of knownBelow(pass, path)) yield { event: 'removed', path: known.path }
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

async function newestKnown({ pass }: Reading, path: string): Promise<string | undefined> {
  let newest: string | undefined
  for await (const id of knownChildren(pass, path))
    if (newest === undefined || compareIds(id, newest) > 0) newest = id
  return newest
}

function idOf(path: string, channel: string): string {
  return path.slice(channel.length + 1).split('/', 1)[0] ?? ''
}
