import type {
  WireChannel,
  WireGuild,
  WireMessage,
  WireUser,
} from '../../../../../contract/knowledge/sources/discord-wire.js'

/** Names for the ids in texts, so that a message reads as it is displayed. */
export interface Names {
  channels: ReadonlyMap<string, string>
  roles: ReadonlyMap<string, string>
}

export const noNames: Names = { channels: new Map(), roles: new Map() }

/** Collects the names of a server's roles, channels and threads. */
export function namesOf(guild: WireGuild, channels: readonly WireChannel[]): Names {
  return {
    channels: new Map(channels.flatMap(({ id, name }) => (name ? [[id, name] as const] : []))),
    roles: new Map((guild.roles ?? []).map(({ id, name }) => [id, name])),
  }
}

/** Returns a person's display name: the server's nickname, else the global one. */
export function nameOf(user: WireUser | null | undefined, nick?: string | null): string {
  return nick || user?.global_name || user?.username || user?.id || 'unknown'
}

const marks =
  /<(?:(?<sign>@!|@&|@|#)(?<id>\d+)|a?:(?<emoji>\w+):\d+|t:(?<time>-?\d{1,12})(?::\w)?|\/(?<command>[^:<>]+):\d+)>/gu

/** Replaces ids in a text with names; ids without a known name stay. */
export function withNames(
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
    if (sign === '#') return mention('#', names.channels.get(id)) ?? whole
    return mention('@', sign === '@&' ? names.roles.get(id) : users.get(id)) ?? whole
  })
}

function mention(sign: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${sign}${name.replace(/^[@#]/u, '')}`
}

function momentOf(seconds: string): string | undefined {
  const moment = new Date(Number(seconds) * 1000)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
