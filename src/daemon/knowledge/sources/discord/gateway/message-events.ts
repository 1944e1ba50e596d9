import type { z } from 'zod'
import {
  type WireMessage,
  wireDeleted,
  wireMessage,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { SourceEvent } from '../../core/kind.js'
import { noteNewest } from '../servers/channel-state.js'
import { removePath } from '../servers/known-paths.js'
import { placeOf } from '../servers/list.js'
import { messagePath } from '../servers/paths.js'
import { reportMissingContent } from '../servers/read-guild.js'
import { type GuildPass, shapeOf } from '../servers/reading.js'
import { reportMessage } from '../servers/tell-message.js'
import type { Servers } from './servers.js'

/** The state that event handlers use. */
export interface WatchContext {
  reading: GuildPass
  servers: Servers
}

/** Handles one gateway event. */
export type EventHandler = (watching: WatchContext, data: unknown) => AsyncGenerator<SourceEvent>

/** Makes a handler that ignores events with data of another form. */
export function handlerOf<T extends z.ZodType>(
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
