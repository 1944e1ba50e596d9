import type { TranscriptMessage } from '../transcript-message.js'

interface PiEntry {
  type?: unknown
  version?: unknown
  cwd?: unknown
  id?: unknown
  parentId?: unknown
}

/** True for the first line of a session of pi, Oh My Pi or OpenClaw. */
export function isPiHeader(line: object): boolean {
  const { type, version, cwd } = line as PiEntry
  return type === 'session' && typeof version === 'number' && typeof cwd === 'string'
}

/** The log of a session; which of its branches counts is certain only at the end. */
export interface PiLog {
  take(entry: object, message: TranscriptMessage | undefined): void
  messages(): TranscriptMessage[]
}

interface Step {
  parent: unknown
  message: TranscriptMessage | undefined
}

/**
 * Reads a log, whose entries form a tree: going back and asking again starts a branch. The conversation is
 * the branch that ends with the last entry.
 */
export function createPiLog(): PiLog {
  const steps = new Map<unknown, Step>()
  let last: unknown
  return {
    take(entry, message) {
      const { id = Symbol('entry'), parentId = last } = entry as PiEntry
      steps.set(id, { parent: parentId, message })
      last = id
    },
    messages() {
      const found: TranscriptMessage[] = []
      const seen = new Set<unknown>()
      for (let at = last; steps.has(at) && !seen.has(at); at = steps.get(at)?.parent) {
        seen.add(at)
        const message = steps.get(at)?.message
        if (message) found.push(message)
      }
      return found.reverse()
    },
  }
}
