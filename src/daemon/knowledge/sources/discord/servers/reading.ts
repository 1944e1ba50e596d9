import { createHash } from 'node:crypto'
import type { ChannelState } from '../../../../../contract/knowledge/sources/discord-progress.js'
import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord-settings.js'
import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { Wait } from '../../../../ground/fetch/with-retries.js'
import type { Pass } from '../../core/kind.js'
import type { Place } from './artifacts.js'
import type { GuildClient } from './guild-client.js'
import type { Names } from './names.js'
import type { Rest } from './rest.js'

/** More than are ever told before they are written. */
const mostKept = 5_000

/**
 * Paths that were told a moment ago and may not be written yet: what the rows say of them may be old. Only the last
 * some thousand are kept.
 */
export class ToldPaths {
  #paths = new Set<string>()
  #older = new Set<string>()

  note(path: string): void {
    this.#paths.add(path)
    if (this.#paths.size < mostKept) return
    this.#older = this.#paths
    this.#paths = new Set()
  }

  has(path: string): boolean {
    return this.#paths.has(path) || this.#older.has(path)
  }

  below(path: string): string[] {
    const prefix = `${path}/`
    return [...this.#older, ...this.#paths].filter(told => told.startsWith(prefix))
  }
}

/** What everything that reads servers over the API works with, for as long as one pass lives. */
export interface Reading {
  rest: Rest
  client: GuildClient
  pass: Pass
  settings: DiscordSettings
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
export function shapeOf(settings: DiscordSettings, title: string): string {
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
