/** A session without hook calls for this long is abandoned: its claim ends, and the sweep closes it. */
export const sessionTtlMs = 4 * 60 * 60 * 1000

/** The stored form of a key: `session:<key>` and the raw key are the same session (rules.md 4.11). */
export function sessionKeyOf(key: string): string {
  return key.replace(/^session:(?=.)/u, '')
}

/** Open sessions seen after this ISO time are live. */
export function liveSessionCutoff(now: Date): string {
  return new Date(now.getTime() - sessionTtlMs).toISOString()
}

/** True if a session has not ended and was seen recently. */
export function isLive(row: { ended_at: string | null; seen_at: string }, now: Date): boolean {
  return row.ended_at === null && row.seen_at > liveSessionCutoff(now)
}
