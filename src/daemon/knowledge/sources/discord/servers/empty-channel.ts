import { isFault } from '../../../../ground/fetch/api-fault.js'
import type { SourceEvent } from '../../core/kind.js'
import { knownBelow, knownChildren } from './known-paths.js'
import { channelPath } from './paths.js'
import type { Reading, WalkedChannel } from './reading.js'
import { compareIds } from './snowflake.js'

/**
 * What an empty page means. Discord gives one for a channel without messages, below the first message, and also to a bot
 * that may not read the history: so that nothing is gone by it alone. One message is asked for by itself, which a bot
 * without that right is refused.
 * @param before below which the page was asked for; null at the top
 */
export async function* emptyChannel(
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
