import { lazy } from '../concurrency/lazy.js'

export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Returns a reported ISO time of an event, or now if none was reported or it lies in the future. */
export function reportedTime(told: string | null | undefined, now: string): string {
  return told && told < now ? told : now
}

/**
 * Returns the IANA name of the process's time zone. For an empty or unknown TZ, such as `:/etc/localtime`,
 * Intl gives none or one that it refuses itself; UTC is used then.
 */
export const ownZone = lazy(() => {
  const { timeZone } = new Intl.DateTimeFormat('en').resolvedOptions()
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone || 'UTC'
  } catch {
    return 'UTC'
  }
})
