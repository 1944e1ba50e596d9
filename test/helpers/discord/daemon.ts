import type { ExecutionContext } from 'ava'
import type { Request } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../daemon.js'
import { type DiscordFake, type DiscordOptions, startDiscord } from './server.js'
import type { FakeChannel, FakeGuild } from './world.js'

export const guildId = '700000000000000001'

export interface Harbour {
  discord: DiscordFake
  daemon: TestDaemon
  guild: FakeGuild
  channel: FakeChannel
  add(fields?: Partial<GuildBody>): Promise<string>
}

type GuildBody = NonNullable<Request<'POST /api/sources/chatguild'>['body']>

/** Starts a daemon with the token of a bot in one server with one channel. */
export async function startHarbour(
  t: ExecutionContext,
  messages: readonly string[],
  { discord: options, ...daemonOptions }: { discord?: DiscordOptions } & TestDaemonOptions = {},
): Promise<Harbour> {
  const discord = await startDiscord(t, options)
  const guild = discord.world.guild(guildId)
  const channel = discord.world.channel(guild, { name: 'general' })
  for (const text of messages) discord.world.message(channel, text)
  const daemon = await startDaemon(t, withApi(discord, daemonOptions))
  await daemon.call('POST /api/secrets/:name', {
    params: { name: 'DISCORD_TOKEN' },
    body: { value: discord.token },
  })
  const add = async (fields: Partial<GuildBody> = {}): Promise<string> => {
    const body = { guildIds: [guildId], tokenRef: 'DISCORD_TOKEN', ...fields }
    const { status, body: reply } = await daemon.call('POST /api/sources/chatguild', { body })
    if (status !== 200) throw new Error(`POST /api/sources/chatguild answered ${status}: ${reply.error}`)
    return reply.source.id
  }
  return { discord, daemon, guild, channel, add }
}

/** Daemon options that point to this Discord fake. */
export function withApi(
  { apiBaseUrl }: Pick<DiscordFake, 'apiBaseUrl'>,
  options: TestDaemonOptions = {},
): TestDaemonOptions {
  return { ...options, settings: { ...options.settings, sources: { chatguild: { apiBaseUrl } } } }
}
