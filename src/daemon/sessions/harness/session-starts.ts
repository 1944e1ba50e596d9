import type { HarnessHook } from '../../../contract/sessions/harness-names.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { NativeEvent } from './native-event.js'

/** Fields that earlier hooks add to the body of a start. */
export interface StartFields {
  source?: 'compact'
  claimOnly?: true
}

/** Follows the hooks of each session, since Codex may report one start twice. */
export interface SessionStarts {
  hear(hook: HarnessHook, event: Pick<NativeEvent, 'sessionKey' | 'source' | 'subagent'>): StartFields
}

/** A start within this time of the session's last hook belongs to it. */
const togetherMs = 60_000
const maxRemembered = 1000

type Last = { what: 'compaction' | 'start after a compaction'; at: number }

/**
 * A Codex session that is resumed and compacted before its first turn reports two starts in that turn:
 * `resume`, then `compact`. The compaction came before both, so the first start delivers the context again
 * (as `compact`), and the second only renews the claim.
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

/** A session whose starting context has yet to be delivered. */
export interface PendingStart {
  /** Reason for the start, as the harness names it. */
  source: string | undefined
}

/** Tracks starting context that is delivered with the first prompt instead of the reply to the start. */
export interface PendingStarts {
  /**
   * Marks the context as pending for the next prompt: the session has just started, or delivery with the last
   * prompt failed.
   */
  owe(sessionKey: string, start: PendingStart): void
  /**
   * Takes the pending start for a prompt; of concurrent prompts only one gets it. @returns undefined when
   * none is pending.
   */
  take(sessionKey: string): Promise<PendingStart | undefined>
}

/**
 * For a session that started before the daemon, the number of recorded prompts decides: without any, the
 * context has not been delivered yet.
 * @param promptsOf number of recorded prompts of a session; 0 for an unknown one.
 */
export function createPendingStarts(promptsOf: (sessionKey: string) => Promise<number>): PendingStarts {
  const starts = new Map<string, PendingStart | 'given'>()
  const set = (key: string, start: PendingStart | 'given'): void => {
    starts.delete(key)
    starts.set(key, start)
    for (const oldest of starts.keys()) {
      if (starts.size <= maxRemembered) break
      starts.delete(oldest)
    }
  }
  const taken = (key: string, unknown?: PendingStart): PendingStart | undefined => {
    const start = starts.get(key) ?? unknown
    if (start) set(key, 'given')
    return start === 'given' ? undefined : start
  }
  return {
    owe: set,
    take: async key => {
      if (starts.has(key)) return taken(key)
      const prompts = await promptsOf(key)
      // Another prompt may have taken it in the meantime.
      return taken(key, prompts === 0 ? { source: undefined } : undefined)
    },
  }
}

/** Number of recorded prompts of a session of any agent; 0 for an unknown one. */
export async function promptsOf({ store }: Pick<Daemon, 'store'>, sessionKey: string): Promise<number> {
  const row = await store.tables.sessions.byKey(sessionKeyOf(sessionKey), defaultAgent)
  return row?.prompts ?? 0
}
