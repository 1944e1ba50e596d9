import { setTimeout as delay } from 'node:timers/promises'
import type { ShownMessage } from './message-text.js'

/** Between two looks: messages come rarely, and a look is one small statement. */
const lookMs = 1000

export interface InboxWatch {
  /** Unread messages since then, newest first. */
  look(since: string | undefined): Promise<readonly ShownMessage[]>
  onMessage(message: ShownMessage): Promise<void>
  signal: AbortSignal
}

/**
 * Tells of unread messages as they come, oldest first and each once, until the signal aborts. What is unread at the
 * start is told first.
 */
export async function watchInbox({ look, onMessage, signal }: InboxWatch): Promise<void> {
  const told = new Set<string>()
  for (let since: string | undefined; !signal.aborted; ) {
    const found = await look(since)
    for (const message of [...found].reverse()) {
      if (signal.aborted) return
      if (told.has(message.id)) continue
      told.add(message.id)
      since = message.createdAt
      await onMessage(message)
    }
    await delay(lookMs, undefined, { signal }).catch(() => undefined)
  }
}
