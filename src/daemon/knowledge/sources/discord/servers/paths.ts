/** The server that messages of nobody's server are kept under: direct messages. */
export const directMessages = '@me'

/** Where a channel or a thread stands: threads have their own numbers, so that a message never moves with its channel. */
export function channelPath(guild: string, channel: string): string {
  return `${guild}/${channel}`
}

export function messagePath(guild: string, channel: string, message: string): string {
  return `${guild}/${channel}/${message}`
}

export function attachmentPath(message: string, attachment: string): string {
  return `${message}/${attachment}`
}

export function membersPath(guild: string): string {
  return `${guild}/members`
}

export function memberPath(guild: string, user: string): string {
  return `${membersPath(guild)}/${user}`
}

/** Where a browser finds it. */
export function webAddress(guild: string, channel: string, message?: string): string {
  return ['https://discord.com/channels', guild, channel, ...(message ? [message] : [])].join('/')
}
