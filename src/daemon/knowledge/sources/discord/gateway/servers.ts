import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isThread } from '../servers/artifacts.js'
import type { GuildClient } from '../servers/guild-client.js'
import { filterOf, type GuildListing } from '../servers/list.js'
import type { GuildPass } from '../servers/reading.js'

/** The followed servers with their channels and names, updated by events. */
export class Servers {
  readonly #listings = new Map<string, GuildListing>()
  /** Servers that are down or from which the bot was removed. */
  readonly away = new Set<string>()

  put(listing: GuildListing): void {
    this.#listings.set(listing.guild, listing)
    this.away.delete(listing.guild)
  }

  /** Returns undefined for a server outside of the source. */
  of(guild: string | null | undefined): GuildListing | undefined {
    return this.#listings.get(guild ?? '')
  }

  /** Updates a channel or thread. */
  putChannel(guild: string, channel: WireChannel): void {
    const listing = this.#listings.get(guild)
    if (!listing) return
    const names = new Map(listing.names.channels)
    if (channel.name) names.set(channel.id, channel.name)
    const channels = new Map(listing.channels).set(channel.id, channel)
    this.#listings.set(guild, { ...listing, channels, names: { ...listing.names, channels: names } })
  }

  dropChannel(guild: string, id: string): void {
    this.#listings.get(guild)?.channels.delete(id)
  }

  /**
   * Returns the channel of a message, requesting it if no event has described it.
   * @returns undefined if the channel is not read
   */
  async channelOf(
    { client, settings }: GuildPass & { client: GuildClient },
    guild: string,
    id: string,
  ): Promise<WireChannel | undefined> {
    if (!this.#listings.get(guild)?.channels.has(id)) {
      const asked = await client.channel(id)
      if (asked) this.putChannel(guild, asked)
    }
    const listing = this.#listings.get(guild)
    const channel = listing?.channels.get(id)
    if (!listing || !channel || (isThread(channel) && !settings.includeThreads)) return undefined
    return filterOf(settings.channelFilter, listing)(channel) ? channel : undefined
  }
}
