import type {
  WireChannel,
  WireGuild,
  WireMessage,
  WireUser,
} from '../../../../../contract/knowledge/sources/discord-wire.js'

/** What numbers in texts stand for: filled by what is listed, so that a message reads as people see it. */
export interface Names {
  channels: ReadonlyMap<string, string>
  roles: ReadonlyMap<string, string>
}

export const noNames: Names = { channels: new Map(), roles: new Map() }

/** The names of a server's roles, and of channels and threads. */
export function namesOf(guild: WireGuild, channels: readonly WireChannel[]): Names {
  return {
    channels: new Map(channels.flatMap(({ id, name }) => (name ? [[id, name] as const] : []))),
    roles: new Map((guild.roles ?? []).map(({ id, name }) => [id, name])),
  }
}

/** How a person is called: in this server, else everywhere. */
export function nameOf(user: WireUser | null | undefined, nick?: string | null): string {
  return nick || user?.global_name || user?.username || user?.id || 'unknown'
}

const marks =
  /<(?:(?<sign>@!|@&|@|#)(?<id>\d+)|a?:(?<emoji>\w+):\d+|t:(?<time>-?\d{1,12})(?::\w)?|\/(?<command>[^:<>]+):\d+)>/gu

/** A text with the names of what it mentions in place of numbers; numbers without a known name stay. */
export function readable(
  text: string,
  { mentions = [] }: Pick<WireMessage, 'mentions'>,
  names: Names,
): string {
  const users = new Map(mentions.map(user => [user.id, nameOf(user, user.member?.nick)]))
  return text.replace(marks, (whole: string, ...rest: unknown[]) => {
    const { sign, id = '', emoji, time, command } = rest.at(-1) as Record<string, string | undefined>
    if (emoji) return `:${emoji}:`
    if (command) return `/${command}`
    if (time) return momentOf(time) ?? whole
    if (sign === '#') return named('#', names.channels.get(id)) ?? whole
    return named('@', sign === '@&' ? names.roles.get(id) : users.get(id)) ?? whole
  })
}

function named(sign: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${sign}${name.replace(/^[@#]/u, '')}`
}

function momentOf(seconds: string): string | undefined {
  const moment = new Date(Number(seconds) * 1000)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
