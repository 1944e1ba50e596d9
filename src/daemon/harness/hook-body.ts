import type { DialectHarness, HarnessHook } from '../../contract/harness-names.js'
import type { NativeEvent } from './native-event.js'

/**
 * Reasons of a session's end that the specification knows, by what harnesses say; any other is left out (spec 1, 4.10).
 */
const endReasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  resume: 'session_switch',
}

export type HookBody = Readonly<Record<string, string | number | undefined>>

type Fields = (event: NativeEvent) => HookBody

const fieldsOf: Readonly<Record<HarnessHook, Fields>> = {
  'session-start': ({ cwd }) => ({ cwd }),
  'user-prompt-submit': ({ cwd, prompt = '', lastAssistantMessage, transcriptPath }) => ({
    cwd,
    userMessage: prompt,
    lastAssistantMessage,
    transcriptPath,
  }),
  'session-end': ({ sessionKey, cwd, transcriptPath, reason = '' }) => ({
    cwd,
    sessionId: sessionKey,
    transcriptPath,
    reason: endReasons[reason],
  }),
  'pre-compaction': ({ cwd, messageCount }) => ({ cwd, messageCount }),
  'compaction-complete': ({ cwd, summary }) => ({ cwd, summary }),
  'session-checkpoint-extract': ({ cwd, transcriptPath, lastAssistantMessage }) => ({
    cwd,
    transcriptPath,
    lastAssistantMessage,
  }),
  notifications: ({ cwd, name }) => ({ cwd, hook: name }),
}

/**
 * The body of the API's own hook (spec 1, 4.10). Commands and http hooks are one runtime path, `legacy`: a session may
 * use both.
 */
export function hookBodyOf(hook: HarnessHook, harness: DialectHarness, event: NativeEvent): HookBody {
  return {
    harness,
    sessionKey: event.sessionKey,
    runtimePath: 'legacy',
    harnessAgentId: event.subagent,
    ...fieldsOf[hook](event),
  }
}
