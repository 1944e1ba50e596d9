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
  const lastOf = createRecent<Last | undefined>()
  const remember = (key: string, what: Last['what']): void => lastOf.set(key, { what, at: now() })
  return {
    hear: (hook, { sessionKey, source, subagent }) => {
      if (subagent) return {}
      const known = lastOf.get(sessionKey)
      const last = known && now() - known.at <= togetherMs ? known.what : undefined
      if (known) lastOf.set(sessionKey, undefined)
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
  /** Notes that the session has its context. */
  given(sessionKey: string): void
  /**
   * Takes the pending start for a prompt; of concurrent prompts only one gets it.
   * @param startsWithPrompt the harness never gets context in reply to a start
   * @returns undefined when none is pending
   */
  take(sessionKey: string, startsWithPrompt: boolean): Promise<PendingStart | undefined>
}

/**
 * For a session that started before the daemon, its record decides: a session without one missed its start,
 * and one that starts with a prompt still waits for its first.
 * @param promptsOf number of recorded prompts of a session; undefined for an unknown one.
 */
export function createPendingStarts(
  promptsOf: (sessionKey: string) => Promise<number | undefined>,
): PendingStarts {
  const starts = createRecent<PendingStart | 'given'>()
  const taken = (key: string, unknown?: PendingStart): PendingStart | undefined => {
    const start = starts.get(key) ?? unknown
    if (start) starts.set(key, 'given')
    return start === 'given' ? undefined : start
  }
  return {
    owe: starts.set,
    given: key => starts.set(key, 'given'),
    take: async (key, startsWithPrompt) => {
      if (starts.has(key)) return taken(key)
      const prompts = await promptsOf(key)
      const isOwed = prompts === undefined || (startsWithPrompt && prompts === 0)
      // Another prompt may have taken the pending start in the meantime.
      return taken(key, isOwed ? { source: undefined } : undefined)
    },
  }
}

/** Values of the sessions seen last. */
function createRecent<Value>() {
  const values = new Map<string, Value>()
  return {
    has: (key: string): boolean => values.has(key),
    get: (key: string): Value | undefined => values.get(key),
    set: (key: string, value: Value): void => {
      values.delete(key)
      values.set(key, value)
      for (const oldest of values.keys()) {
        if (values.size <= maxRemembered) break
        values.delete(oldest)
      }
    },
  }
}

/** Tells each session the time once, and again when the day changed or its context was emptied. */
export interface ToldClocks {
  /** @returns the clock if the session needs it, else ''. */
  take(sessionKey: string, clock: string): string
  forget(sessionKey: string): void
}

export function createToldClocks(): ToldClocks {
  const days = createRecent<string>()
  return {
    take: (key, clock) => {
      const day = /\d{4}-\d{2}-\d{2}/u.exec(clock)?.[0] ?? ''
      if (days.get(key) === day) return ''
      days.set(key, day)
      return clock
    },
    forget: key => days.set(key, ''),
  }
}

/** Number of recorded prompts of a session of any agent; undefined for an unknown one. */
export async function promptsOf(
  { store }: Pick<Daemon, 'store'>,
  sessionKey: string,
): Promise<number | undefined> {
  return (await store.tables.sessions.byKey(sessionKeyOf(sessionKey), defaultAgent))?.prompts
}
