import type { HarnessHook } from '../../../contract/sessions/harness-names.js'
import type { NativeEvent } from './native-event.js'

/** Fields that are added to the body of a start, by the hooks that came before it. */
export interface StartFields {
  source?: 'compact'
  claimOnly?: true
}

/** Watches the hooks of each session, since Codex may report one start twice. */
export interface SessionStarts {
  hear(hook: HarnessHook, event: Pick<NativeEvent, 'sessionKey' | 'source' | 'subagent'>): StartFields
}

/** A start within this time of the session's last hook belongs to that. */
const togetherMs = 60_000
const maxRemembered = 1000

type Last = { what: 'compaction' | 'start after a compaction'; at: number }

/**
 * A session of Codex that is resumed and compacted before its first turn reports two starts in that turn: `resume`,
 * then `compact`. The compaction came before both, so the first start gives the context anew (as `compact`), and the
 * second only renews the claim.
 * @param now milliseconds.
 */
export function createSessionStarts(now: () => number): SessionStarts {
  const lastOf = new Map<string, Last>()
  const remember = (key: string, what: Last['what']): void => {
    lastOf.set(key, { what, at: now() })
    for (const oldest of lastOf.keys()) {
      if (lastOf.size <= maxRemembered) break
      lastOf.delete(oldest)
    }
  }
  return {
    hear: (hook, { sessionKey, source, subagent }) => {
      if (subagent) return {}
      const known = lastOf.get(sessionKey)
      const last = known && now() - known.at <= togetherMs ? known.what : undefined
      lastOf.delete(sessionKey)
      if (hook === 'compaction-complete') remember(sessionKey, 'compaction')
      if (hook !== 'session-start' || !last) return {}
      if (last === 'start after a compaction') return source === 'compact' ? { claimOnly: true } : {}
      if (source !== 'compact') remember(sessionKey, 'start after a compaction')
      return { source: 'compact' }
    },
  }
}
