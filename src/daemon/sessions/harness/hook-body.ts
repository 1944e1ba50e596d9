import type { DialectHarness, HarnessHook } from '../../../contract/sessions/harness-names.js'
import type { NativeEvent } from './native-event.js'

/** Reasons of a session's end that the API knows, by what harnesses say; any other is left out (rules.md 4.10). */
const endReasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  resume: 'session_switch',
}

export type HookBody = Readonly<Record<string, string | number | undefined>>

type Fields = (event: NativeEvent) => HookBody

const fieldsOf: Readonly<Record<HarnessHook, Fields>> = {
  'session-start': ({ source }) => ({ source }),
  'user-prompt-submit': ({ prompt = '', lastAssistantMessage, transcriptPath }) => ({
    userMessage: prompt,
    lastAssistantMessage,
    transcriptPath,
  }),
  'session-end': ({ sessionKey, transcriptPath, reason = '' }) => ({
    sessionId: sessionKey,
    transcriptPath,
    reason: endReasons[reason],
  }),
  'pre-compaction': ({ messageCount }) => ({ messageCount }),
  'compaction-complete': ({ summary }) => ({ summary }),
  'session-checkpoint-extract': ({ transcriptPath, lastAssistantMessage }) => ({
    transcriptPath,
    lastAssistantMessage,
  }),
  notifications: ({ name, skill }) => ({ hook: name, skill }),
}

/**
 * The body of the API's own hook (rules.md 4.10). Commands and http hooks are one runtime path, `legacy`: a session may
 * use both.
 */
export function hookBodyOf(hook: HarnessHook, harness: DialectHarness, event: NativeEvent): HookBody {
  return {
    harness,
    sessionKey: event.sessionKey,
    runtimePath: 'legacy',
    harnessAgentId: event.subagent,
    cwd: event.cwd,
    ...fieldsOf[hook](event),
  }
}
