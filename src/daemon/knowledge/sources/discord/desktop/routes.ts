import { cacheRoutes } from '../../../../../contract/knowledge/sources/discord.js'
import { type WireMessage, wireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { directMessages } from '../servers/paths.js'

const route = /\/channels\/(@me|\d{15,20})\/(\d{15,20})/gu
/** Channel types without a server: direct messages and group messages. */
const directTypes = new Set([1, 3])

/**
 * Assigns channels to servers, with proof only: routes opened by the application, API replies about channels,
 * and the server named in a message's reference to its own channel. Links written in messages are not used.
 */
export class Routes {
  readonly #guilds: Map<string, string>
  readonly names = new Map<string, string>()

  constructor(kept: string | undefined) {
    const known = kept === undefined ? undefined : cacheRoutes.safeParse(JSON.parse(kept)).data
    this.#guilds = new Map(Object.entries(known ?? {}))
  }

  guildOf(channel: string): string | undefined {
    return this.#guilds.get(channel)
  }

  /** Serialised for the next pass. */
  toJSON(): Record<string, string> {
    return Object.fromEntries([...this.#guilds].sort())
  }

  /** Learns from routes in an address or in the application's state. */
  learnText(text: string): void {
    for (const [, guild = '', channel = ''] of text.matchAll(route)) this.#guilds.set(channel, guild)
  }

  /** Learns from a channel, or a list of channels, in an API reply. */
  learnChannels(reply: unknown): void {
    for (const one of Array.isArray(reply) ? reply : [reply]) {
      const { data: channel } = wireChannel.safeParse(one)
      if (!channel) continue
      if (channel.name) this.names.set(channel.id, channel.name)
      if (channel.guild_id) this.#guilds.set(channel.id, channel.guild_id)
      else if (directTypes.has(channel.type)) this.#guilds.set(channel.id, directMessages)
    }
  }

  /** Learns the server from a message's reference to its own channel. */
  learnMessage({ channel_id: channel, message_reference: reference }: WireMessage): void {
    if (reference?.guild_id && reference.channel_id === channel) this.#guilds.set(channel, reference.guild_id)
  }
}
