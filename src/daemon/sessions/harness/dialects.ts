import type { DialectHarness, HarnessHook } from '../../../contract/sessions/harness-names.js'
import {
  isOfCopilot,
  type NativeEvent,
  type ReadNative,
  readCopilot,
  readCursor,
  readSnakeCase,
} from './native-event.js'

/** How one harness calls hooks and what it takes back. */
export interface Dialect {
  harness: DialectHarness
  /** Events that call a hook, by the harness's own names; hooks that are missing have none. */
  events: Readonly<Partial<Record<HarnessHook, string>>>
  read: ReadNative
  /** Events whose reply may put text into the session. */
  injects: ReadonlySet<string>
  /** The reply that does so, as JSON. */
  inject(eventName: string, context: string): object
  /** Size of a text as the harness counts it, and the most that arrives whole. */
  sizeOf(text: string): number
  maxSize: number
  /** The context of a start is given with the next prompt: in the reply to the start itself it would do harm. */
  startsWithPrompt?: true
  /** The reply to pre-compaction is added to the instructions of the compaction. */
  steersCompaction: boolean
  /** The event's trigger for which that reply also stays in the conversation. */
  keepsAdvice?: string
}

/** Longer texts end in a file that the model sees the beginning of. */
const maxCharacters = 10_000
/** 2,500 tokens, at the four bytes that Codex counts a token. */
const maxCodexBytes = 10_000

const claudeCode: Dialect = {
  harness: 'claude-code',
  events: {
    'session-start': 'SessionStart',
    'user-prompt-submit': 'UserPromptSubmit',
    notifications: 'PreToolUse',
    'session-checkpoint-extract': 'Stop',
    'pre-compaction': 'PreCompact',
    'compaction-complete': 'PostCompact',
    'session-end': 'SessionEnd',
  },
  read: readSnakeCase,
  injects: new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse']),
  inject: specificOutput,
  sizeOf: characters,
  maxSize: maxCharacters,
  steersCompaction: true,
  keepsAdvice: 'manual',
}

/** Refuses a reply with a field too many, and one to an event that takes no context. */
const codex: Dialect = {
  ...claudeCode,
  harness: 'codex',
  sizeOf: text => Buffer.byteLength(text),
  maxSize: maxCodexBytes,
  steersCompaction: false,
}

/**
 * Without a person (`-p`) it puts context of SessionStart in front of the prompt, in the same text, and leaves out every
 * message that begins so when the session is resumed. Context of BeforeAgent stands behind the prompt.
 */
const gemini: Dialect = {
  harness: 'gemini',
  events: {
    'session-start': 'SessionStart',
    'user-prompt-submit': 'BeforeAgent',
    'session-checkpoint-extract': 'AfterAgent',
    'pre-compaction': 'PreCompress',
    'session-end': 'SessionEnd',
  },
  read: readSnakeCase,
  injects: new Set(['BeforeAgent']),
  inject: specificOutput,
  sizeOf: characters,
  maxSize: maxCharacters,
  startsWithPrompt: true,
  steersCompaction: false,
}

const cursor: Dialect = {
  harness: 'cursor',
  events: {
    'session-start': 'sessionStart',
    'user-prompt-submit': 'beforeSubmitPrompt',
    'session-checkpoint-extract': 'stop',
    'pre-compaction': 'preCompact',
    'session-end': 'sessionEnd',
  },
  read: readCursor,
  injects: new Set(['sessionStart', 'beforeSubmitPrompt']),
  inject: (eventName, context) => ({
    ...(eventName === 'beforeSubmitPrompt' && { continue: true }),
    additional_context: context,
  }),
  sizeOf: characters,
  maxSize: maxCharacters,
  steersCompaction: false,
}

/** Events have two names, since it runs hooks of Claude Code as well. */
const copilot: Dialect = {
  harness: 'copilot',
  events: {
    'session-start': 'sessionStart',
    'user-prompt-submit': 'userPromptSubmitted',
    'session-checkpoint-extract': 'agentStop',
    'pre-compaction': 'preCompact',
    'session-end': 'sessionEnd',
  },
  read: readCopilot,
  injects: new Set(['sessionStart', 'SessionStart', 'userPromptSubmitted', 'UserPromptSubmit']),
  inject: (_eventName, context) => ({ additionalContext: context }),
  sizeOf: characters,
  maxSize: maxCharacters,
  steersCompaction: false,
}

const dialects: Readonly<Record<DialectHarness, Dialect>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  cursor,
  copilot,
}

export function dialectOf(harness: DialectHarness): Dialect {
  return dialects[harness]
}

/** The dialect of who really called a hook: a harness may run what was installed for another. */
export function dialectOfCaller(installed: Dialect, input: unknown): Dialect {
  return installed === claudeCode && isOfCopilot(input) ? copilot : installed
}

/** The event that a hook was called for: what the harness says, else the one that usually calls it. */
export function eventNameOf({ events }: Dialect, hook: HarnessHook, event: NativeEvent): string {
  return event.name ?? events[hook] ?? ''
}

/** Claude Code, Codex and Gemini CLI agree on it. */
function specificOutput(hookEventName: string, additionalContext: string): object {
  return { hookSpecificOutput: { hookEventName, additionalContext } }
}

function characters(text: string): number {
  return text.length
}
