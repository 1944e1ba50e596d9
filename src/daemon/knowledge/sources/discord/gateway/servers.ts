import type { WireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { isThread } from '../servers/artifacts.js'
import type { GuildClient } from '../servers/guild-client.js'
import { filterOf, type Listing } from '../servers/list.js'
import type { Reading } from '../servers/reading.js'

/** What is known of the servers that are followed: their channels and names, as events change them. */
export class Servers {
  readonly #listings = new Map<string, Listing>()
  /** Servers that are down, or that the bot was taken out of. */
  readonly away = new Set<string>()

  put(listing: Listing): void {
    this.#listings.set(listing.guild, listing)
    this.away.delete(listing.guild)
  }

  /** Undefined for a server that is none of the source's. */
  of(guild: string | null | undefined): Listing | undefined {
    return this.#listings.get(guild ?? '')
  }

  /** A channel or thread as it is now. */
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

  /** A channel of a message, asked for where no event told of it. @returns undefined for one that is not read */
  async channelOf(
    { client, settings }: Reading & { client: GuildClient },
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
