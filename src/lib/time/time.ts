/** Milliseconds of a day. */
export const dayMs = 86_400_000

/** An ISO time that somebody told of what happened; now where nobody did, or where it is yet to come. */
export function toldTime(told: string | null | undefined, now: string): string {
  return told && told < now ? told : now
}
