/** The pseudo-server of direct messages. */
export const directMessages = '@me'

/** Discord ids contain their time: milliseconds since 2015 above the lowest 22 bits. */
const epochMs = 1_420_070_400_000n
/** Digits of ids until 2090. */
const longest = 19

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

/** Returns a negative number if `a` is older. Ids differ in length, so they do not sort as texts. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Returns the smallest id of a time; 0 for a time before the first id. */
export function firstIdAt(iso: string): string {
  const ms = BigInt(Date.parse(iso)) - epochMs
  return String(ms > 0n ? ms << 22n : 0n)
}

/** Returns the creation time of an id, ISO 8601. */
export function timeOf(id: string): string {
  return new Date(Number((BigInt(id) >> 22n) + epochMs)).toISOString()
}

/**
 * Returns a text range that contains all ids between two; `compareIds` must filter others out of it. Ids of
 * different lengths do not sort as texts, so they get the full range.
 * @param to undefined for an open end
 */
export function textRange(from: string, to: string | undefined): { from: string; to: string } {
  // A colon sorts after all digits and after the slash that follows an id in paths.
  if (from.length !== (to?.length ?? longest)) return { from: '', to: ':' }
  return { from, to: to ?? ':' }
}
