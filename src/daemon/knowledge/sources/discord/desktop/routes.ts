import { cacheRoutes } from '../../../../../contract/knowledge/sources/discord-progress.js'
import { type WireMessage, wireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { directMessages } from '../servers/paths.js'

const route = /\/channels\/(@me|\d{15,20})\/(\d{15,20})/gu
/** One and several people: channels that belong to no server. */
const directTypes = new Set([1, 3])

/**
 * To which server channels belong, as far as it is proven: by routes that the application itself opened, by replies of
 * the API about channels, and by the server that a message names beside its own channel. What people write proves
 * nothing: links in messages are not looked at.
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

  /** As it is kept for the next pass. */
  toJSON(): Record<string, string> {
    return Object.fromEntries([...this.#guilds].sort())
  }

  /** Routes in an address, or in what the application wrote down of itself. */
  learnText(text: string): void {
    for (const [, guild = '', channel = ''] of text.matchAll(route)) this.#guilds.set(channel, guild)
  }

  /** A channel, or a list of them, as the API describes them. */
  learnChannels(reply: unknown): void {
    for (const one of Array.isArray(reply) ? reply : [reply]) {
      const { data: channel } = wireChannel.safeParse(one)
      if (!channel) continue
      if (channel.name) this.names.set(channel.id, channel.name)
      if (channel.guild_id) this.#guilds.set(channel.id, channel.guild_id)
      else if (directTypes.has(channel.type)) this.#guilds.set(channel.id, directMessages)
    }
  }

  /** The server that a message names with what it answers in its own channel. */
  learnMessage({ channel_id: channel, message_reference: reference }: WireMessage): void {
    if (reference?.guild_id && reference.channel_id === channel) this.#guilds.set(channel, reference.guild_id)
  }
}
