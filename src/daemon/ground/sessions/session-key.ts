/** A session that calls no hook for this long is abandoned: its claim ends, and the sweep finishes it. */
export const sessionTtlMs = 4 * 60 * 60 * 1000

/** The key that rows are stored under: `session:<key>` and the raw key are one (rules.md 4.11). */
export function sessionKeyOf(key: string): string {
  return key.replace(/^session:(?=.)/u, '')
}

/** Sessions that were seen after this (ISO) and have not ended are live. */
export function liveSince(now: Date): string {
  return new Date(now.getTime() - sessionTtlMs).toISOString()
}

/** Whether a session has not ended and was seen not long ago. */
export function isLive(row: { ended_at: string | null; seen_at: string }, now: Date): boolean {
  return row.ended_at === null && row.seen_at > liveSince(now)
}
