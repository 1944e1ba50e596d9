export const dayMs = 86_400_000

/** Returns a reported ISO time of an event, or now if none was reported or it lies in the future. */
export function reportedTime(told: string | null | undefined, now: string): string {
  return told && told < now ? told : now
}
