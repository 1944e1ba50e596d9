import type { Scope } from './daemon-process.js'

/** A test's teardown for a script: resources are released in reverse order. */
export function scopeOfScript(): { scope: Scope; end(): Promise<void> } {
  const ends: (() => unknown)[] = []
  return {
    scope: { teardown: end => void ends.push(end) },
    end: async () => {
      for (const end of ends.reverse()) await end()
    },
  }
}
