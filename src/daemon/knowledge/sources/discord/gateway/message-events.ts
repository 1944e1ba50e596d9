import type { z } from 'zod'
import {
  type WireMessage,
  wireDeleted,
  wireMessage,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { SourceEvent } from '../../core/kind.js'
import { noteNewest } from '../servers/channel-state.js'
import { goneWhole } from '../servers/known-paths.js'
import { placeOf } from '../servers/list.js'
import { messagePath } from '../servers/paths.js'
import { tellOfContent } from '../servers/read-guild.js'
import { type Reading, shapeOf } from '../servers/reading.js'
import { tellMessage } from '../servers/tell-message.js'
import type { Servers } from './servers.js'

/** What an event is applied with. */
export interface Watching {
  reading: Reading
  servers: Servers
}

/** Applies one event of the gateway. */
export type Apply = (watching: Watching, data: unknown) => AsyncGenerator<SourceEvent>

/** An event whose data have a form; others are passed over. */
export function event<T extends z.ZodType>(
  schema: T,
  apply: (watching: Watching, data: z.infer<T>) => AsyncGenerator<SourceEvent>,
): Apply {
  return async function* (watching, data) {
    const known = schema.safeParse(data)
    if (known.success) yield* apply(watching, known.data)
  }
}

async function* created(watching: Watching, message: WireMessage): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  const guild = message.guild_id ?? ''
  if (!servers.of(guild)) return
  const channel = await servers.channelOf(reading, guild, message.channel_id)
  const listing = servers.of(guild)
  if (!channel || !listing) return
  const place = placeOf(listing, channel)
  yield* tellMessage(reading, message, { place, names: listing.names })
  const shape = shapeOf(reading.settings, place.title)
  yield* noteNewest(reading, { channel: channel.id, shape, message: message.id })
  yield* tellOfContent(reading, guild)
}

/** An update may hold only what changed: then the message is asked for. */
async function* updated(watching: Watching, part: WireMessage): AsyncGenerator<SourceEvent> {
  const { reading, servers } = watching
  if (!servers.of(part.guild_id)) return
  const isWhole = part.author && part.timestamp && typeof part.content === 'string'
  const message = isWhole ? part : await reading.client.message(part.channel_id, part.id)
  if (message) yield* created(watching, { ...message, guild_id: part.guild_id })
  else yield* deleted(watching, part)
}

async function* deleted(
  { reading, servers }: Watching,
  { guild_id: guild, channel_id: channel, id, ids = [] }: z.infer<typeof wireDeleted>,
): AsyncGenerator<SourceEvent> {
  if (!guild || !servers.of(guild)) return
  for (const gone of [...ids, ...(id ? [id] : [])])
    yield* goneWhole(reading, messagePath(guild, channel, gone))
}

/** What is done with events of messages, by their names. */
export const messageEvents: Readonly<Record<string, Apply>> = {
  MESSAGE_CREATE: event(wireMessage, created),
  MESSAGE_UPDATE: event(wireMessage, updated),
  MESSAGE_DELETE: event(wireDeleted, deleted),
  MESSAGE_DELETE_BULK: event(wireDeleted, deleted),
}
