import type { z } from 'zod'
import {
  type WireChannel,
  type WireGuild,
  type WireMember,
  type WireMessage,
  type WireUser,
  wireChannel,
  wireGuild,
  wireMember,
  wireMessage,
  wireThreadMember,
  wireThreads,
  wireUser,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { ApiFault, isFault } from '../../../../ground/fetch/api-faults.js'
import type { Rest } from './rest.js'

/** Messages per reply, Discord's maximum. */
export const pageSize = 100
const memberPageSize = 1000

/** The lists of archived threads. */
export type ArchivedThreads = 'public' | 'private' | 'joined'

/** A typed client of Discord's API. */
export interface GuildClient {
  /** Returns the bot's own user. */
  self(): Promise<WireUser>
  guild(id: string): Promise<WireGuild>
  /** Returns all channels, including those the bot may not read. */
  channels(guild: string): Promise<WireChannel[]>
  /** @returns undefined if the channel or thread does not exist (any more) */
  channel(id: string): Promise<WireChannel | undefined>
  activeThreads(guild: string): Promise<WireChannel[]>
  archivedThreads(
    channel: string,
    list: ArchivedThreads,
    before?: string,
  ): Promise<{ threads: WireChannel[]; hasMore: boolean }>
  /** Returns at most a hundred messages, newest first. */
  messages(channel: string, range: { before?: string | undefined; after?: string }): Promise<WireMessage[]>
  /** @returns undefined if the message does not exist (any more) */
  message(channel: string, id: string): Promise<WireMessage | undefined>
  /** Returns at most a thousand members, ordered by id. */
  members(guild: string, after: string | undefined): Promise<{ members: WireMember[]; hasMore: boolean }>
  threadMembers(thread: string, after: string | undefined): Promise<{ members: WireMember[]; last?: string }>
}

export function createGuildClient({ get }: Rest): GuildClient {
  const orMissing = async <T>(asked: Promise<T>): Promise<T | undefined> => {
    try {
      return await asked
    } catch (error) {
      if (isFault(error, 'missing')) return undefined
      throw error
    }
  }
  return {
    self: async () => one(wireUser, await get('/users/@me'), 'a user'),
    guild: async id => one(wireGuild, await get(`/guilds/${id}`), 'a server'),
    channels: async guild => many(wireChannel, await get(`/guilds/${guild}/channels`), 'channels'),
    channel: id => orMissing(get(`/channels/${id}`).then(reply => one(wireChannel, reply, 'a channel'))),
    activeThreads: async guild => {
      const reply = one(wireThreads, await get(`/guilds/${guild}/threads/active`), 'a list of threads')
      return many(wireChannel, reply.threads, 'threads')
    },
    archivedThreads: async (channel, list, before) => {
      const path = list === 'joined' ? 'users/@me/threads/archived/private' : `threads/archived/${list}`
      const asked = await get(`/channels/${channel}/${path}`, { limit: pageSize, before })
      const reply = one(wireThreads, asked, 'a list of threads')
      return { threads: many(wireChannel, reply.threads, 'threads'), hasMore: reply.has_more === true }
    },
    messages: async (channel, range) =>
      many(
        wireMessage,
        await get(`/channels/${channel}/messages`, { limit: pageSize, ...range }),
        'messages',
      ),
    message: (channel, id) =>
      orMissing(
        get(`/channels/${channel}/messages/${id}`).then(reply => one(wireMessage, reply, 'a message')),
      ),
    members: async (guild, after) => {
      const query = { limit: memberPageSize, after }
      const members = many(wireMember, await get(`/guilds/${guild}/members`, query), 'members')
      return { members, hasMore: members.length === memberPageSize }
    },
    threadMembers: async (thread, after) => {
      const query = { limit: pageSize, with_member: 'true', after }
      const listed = many(wireThreadMember, await get(`/channels/${thread}/thread-members`, query), 'members')
      const last = listed.length === pageSize ? listed.at(-1)?.user_id : undefined
      return { members: listed.flatMap(({ member }) => member ?? []), ...(last && { last }) }
    },
  }
}

/** @throws ApiFault `unreachable`: a reply of another form may come from a proxy */
function one<T extends z.ZodType>(schema: T, reply: unknown, what: string): z.infer<T> {
  const known = schema.safeParse(reply)
  if (known.success) return known.data
  throw new ApiFault('unreachable', `Discord returned something other than ${what}`)
}

/** A list with an invalid item is rejected as a whole: skipped items would count as deleted. */
function many<T extends z.ZodType>(schema: T, reply: unknown, what: string): z.infer<T>[] {
  if (!Array.isArray(reply)) throw new ApiFault('unreachable', `Discord did not return a list of ${what}`)
  return reply.map(item => one(schema, item, `a list of ${what}`))
}
