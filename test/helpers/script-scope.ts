import type { Scope } from './daemon-process.js'

/** What a test ends with, for a script: the last thing that was begun ends first. */
export function scopeOfScript(): { scope: Scope; end(): Promise<void> } {
  const ends: (() => unknown)[] = []
  return {
    scope: { teardown: end => void ends.push(end) },
    end: async () => {
      for (const end of ends.reverse()) await end()
    },
  }
}
