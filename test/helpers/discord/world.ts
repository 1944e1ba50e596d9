import type {
  APIAttachment,
  APIChannel,
  APIGuildMember,
  APIMessage,
  APIThreadMember,
  APIUser,
} from 'discord-api-types/v10'

const epochMs = 1_420_070_400_000n

/** The id of an object created at that time; `step` distinguishes objects of the same millisecond. */
export function idAt(ms: number, step = 0): string {
  return String(((BigInt(ms) - epochMs) << 22n) | BigInt(step))
}

export interface FakeChannel {
  channel: Partial<APIChannel> & { id: string; type: number }
  /** Oldest first. */
  messages: Partial<APIMessage>[]
  /** Every request for it is answered with 403. */
  isForbidden?: boolean
  /** Read Message History is missing: lists are empty, single messages are refused. */
  hidesHistory?: boolean
  /** Manage Threads is missing: 403 for archived private threads. */
  hidesPrivateThreads?: boolean
  threadMembers?: (APIThreadMember & { member?: APIGuildMember })[]
}

export interface FakeGuild {
  id: string
  name: string
  roles: { id: string; name: string }[]
  channels: Map<string, FakeChannel>
  members: APIGuildMember[]
  /** Server Members Intent is off: 403. */
  hidesMembers?: boolean
}

export const botUser = { id: '900000000000000001', username: 'memory-bot', bot: true } as APIUser

/** Servers with their channels and messages. */
export class World {
  readonly guilds = new Map<string, FakeGuild>()
  readonly files = new Map<string, Buffer>()
  /** When off, messages of others arrive without content. */
  messageContentIntent = true
  readonly #state = { ms: Date.parse('2024-03-01T10:00:00Z'), step: 0 }

  /** The next id, a second after the last one. */
  nextId(): string {
    this.#state.ms += 1000
    return idAt(this.#state.ms)
  }

  guild(id: string, name = 'Harbour'): FakeGuild {
    const guild: FakeGuild = { id, name, roles: [], channels: new Map(), members: [] }
    this.guilds.set(id, guild)
    return guild
  }

  channel(guild: FakeGuild, fields: Partial<APIChannel> & { name: string; type?: number }): FakeChannel {
    const channel = { id: this.nextId(), type: 0, guild_id: guild.id, ...fields } as FakeChannel['channel']
    const made: FakeChannel = { channel, messages: [] }
    guild.channels.set(channel.id, made)
    return made
  }

  /** Adds a thread below a channel; `archived` is the time of archiving. */
  thread(
    guild: FakeGuild,
    parent: FakeChannel,
    { name, type = 11, archived }: { name: string; type?: number; archived?: string },
  ): FakeChannel {
    const metadata = {
      archived: archived !== undefined,
      archive_timestamp: archived ?? '2024-03-01T10:00:00Z',
    }
    return this.channel(guild, {
      name,
      type,
      parent_id: parent.channel.id,
      thread_metadata: metadata,
    } as never)
  }

  message(channel: FakeChannel, content: string, fields: Partial<APIMessage> = {}): Partial<APIMessage> {
    const id = fields.id ?? this.nextId()
    const message = {
      id,
      channel_id: channel.channel.id,
      type: 0,
      author: { id: '800000000000000001', username: 'ada', global_name: 'Ada' } as APIUser,
      content,
      timestamp: new Date(Number((BigInt(id) >> 22n) + epochMs)).toISOString(),
      edited_timestamp: null,
      attachments: [],
      embeds: [],
      mentions: [],
      components: [],
      ...fields,
    } as Partial<APIMessage>
    channel.messages.push(message)
    Object.assign(channel.channel, { last_message_id: id })
    return message
  }

  find(id: string): FakeChannel | undefined {
    for (const { channels } of this.guilds.values()) {
      const found = channels.get(id)
      if (found) return found
    }
    return undefined
  }

  guildOf(id: string): FakeGuild | undefined {
    return [...this.guilds.values()].find(({ channels }) => channels.has(id))
  }

  /** A message as the bot sees it. */
  shown(message: Partial<APIMessage>): Partial<APIMessage> {
    if (this.messageContentIntent || message.author?.id === botUser.id) return message
    if (message.mentions?.some(({ id }) => id === botUser.id)) return message
    const { poll: _poll, ...rest } = message
    return { ...rest, content: '', attachments: [], embeds: [], components: [] }
  }
}

export function attachment(
  file: { id: string; filename: string; url: string; type?: string },
  size: number,
): APIAttachment {
  const { id, filename, url, type } = file
  return { id, filename, url, proxy_url: url, size, ...(type && { content_type: type }) } as APIAttachment
}
