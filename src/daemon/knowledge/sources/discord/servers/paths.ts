/** The pseudo-server of direct messages. */
export const directMessages = '@me'

/**
 * Returns the path of a channel or thread. Threads have their own ids, so a message's path never depends on
 * the parent.
 */
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

export function webAddress(guild: string, channel: string, message?: string): string {
  return ['https://discord.com/channels', guild, channel, ...(message ? [message] : [])].join('/')
}
