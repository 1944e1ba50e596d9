import { createHash } from 'node:crypto'
import type { ChannelState } from '../../../../../contract/knowledge/discord-progress.js'
import type { GuildSettings } from '../../../../../contract/knowledge/discord-settings.js'
import type { WireChannel } from '../../../../../contract/knowledge/discord-wire.js'
import type { Wait } from '../../../../ground/fetch/api-wait.js'
import type { Pass } from '../../core/kind.js'
import type { Place } from './artifacts.js'
import type { GuildClient } from './guild-client.js'
import type { Names } from './names.js'
import type { Rest } from './rest.js'
import type { ToldPaths } from './told-paths.js'

/** What everything that reads servers over the API works with, for as long as one pass lives. */
export interface Reading {
  rest: Rest
  client: GuildClient
  pass: Pass
  settings: GuildSettings
  /** The bot's own number: what it says itself it is shown, whatever its intents. */
  self: string
  wait: Wait
  clock(): Date
  seen: SeenContent
  told: ToldPaths
  /** How far channels are read, as it was told last. */
  states: Map<string, ChannelState>
}

/** A channel or thread whose messages are told, with what their texts mention. */
export interface WalkedChannel {
  channel: WireChannel
  place: Place
  names: Names
}

/** Whether messages came with what they say (sources.md#discord). */
export class SeenContent {
  #blank = 0
  #spoken = 0

  note({ isBlank }: { isBlank: boolean }): void {
    if (isBlank) this.#blank++
    else this.#spoken++
  }

  /** True when nobody's message had content: no server is silent in that way, the intent is off. */
  isMissing(): boolean {
    return this.#blank > 0 && this.#spoken === 0
  }
}

/** What of the settings shapes messages, and how far back they are read: when it changes a channel is listed anew. */
export function shapeOf(settings: GuildSettings, title: string): string {
  const { includeAttachments, includeAttachmentText, maxAttachmentTextBytes, includeEmbeds } = settings
  const { includePolls, since, maxMessagesPerChannel } = settings
  const shape = JSON.stringify([
    title,
    includeAttachments,
    includeAttachmentText && maxAttachmentTextBytes,
    includeEmbeds,
    includePolls,
    since,
    maxMessagesPerChannel,
  ])
  return createHash('sha256').update(shape).digest('base64url').slice(0, 16)
}
