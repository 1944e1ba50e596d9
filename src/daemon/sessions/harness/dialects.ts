import type { DialectHarness, HarnessHook } from '../../../contract/sessions/harness-names.js'
import {
  type NativeEvent,
  type ReadNative,
  readAntigravity,
  readCline,
  readCopilot,
  readCursor,
  readHookEvent,
  readKimi,
  readPassed,
  readQwen,
  readSnakeCase,
} from './native-event.js'

/** How a harness calls hooks, and the replies it accepts. */
export interface Dialect {
  harness: DialectHarness
  /** The harness's own event for each hook; missing hooks have none. */
  events: Readonly<Partial<Record<HarnessHook, string>>>
  read: ReadNative
  /** Events whose reply may add text to the session. */
  injects: ReadonlySet<string>
  /** The reply that adds text: JSON, or the text itself. */
  inject(eventName: string, context: string): object | string
  /** The reply that adds nothing; empty by default. */
  nothing?: string
  /** Size of a text as the harness counts it, and the maximum that arrives complete. */
  sizeOf(text: string): number
  maxSize: number
  /** It runs hooks installed for others too, so it may call several for one event. */
  runsOthers?: true
  /** Starting context is added to the next prompt: in the reply to the start it would do harm. */
  startsWithPrompt?: true
  /** The reply to pre-compaction is added to the instructions of the compaction. */
  steersCompaction: boolean
  /** The event's trigger for which that reply also stays in the conversation. */
  keepsAdvice?: string
}

/** Longer texts go to a file, and the model sees only its beginning. */
const maxCharacters = 10_000
/** 2,500 tokens, at the four bytes per token that Codex counts. */
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
    'subagent-start': 'SubagentStart',
  },
  read: readSnakeCase,
  injects: new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStart']),
  inject: specificOutput,
  sizeOf: characters,
  maxSize: maxCharacters,
  steersCompaction: true,
  keepsAdvice: 'manual',
}

/** Codex refuses a reply with unknown fields, and replies with context to events that accept none. */
const codex: Dialect = {
  ...claudeCode,
  harness: 'codex',
  sizeOf: text => Buffer.byteLength(text),
  maxSize: maxCodexBytes,
  steersCompaction: false,
}

/**
 * In non-interactive mode (`-p`), Gemini CLI puts context of SessionStart before the prompt in the same text,
 * and drops every message that begins so when the session is resumed. Context of BeforeAgent comes after the
 * prompt.
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

/** Events have two names, since Cursor also runs hooks of Claude Code, if its settings allow it. */
const cursor: Dialect = {
  harness: 'cursor',
  runsOthers: true,
  events: {
    'session-start': 'sessionStart',
    'user-prompt-submit': 'beforeSubmitPrompt',
    'session-checkpoint-extract': 'stop',
    'pre-compaction': 'preCompact',
    'session-end': 'sessionEnd',
  },
  read: readCursor,
  injects: new Set(['sessionStart', 'SessionStart', 'beforeSubmitPrompt', 'UserPromptSubmit']),
  inject: (eventName, context) => ({
    ...(/prompt/iu.test(eventName) && { continue: true }),
    additional_context: context,
  }),
  sizeOf: characters,
  maxSize: maxCharacters,
  steersCompaction: false,
}

/** Events have two names, since Copilot CLI also runs hooks of Claude Code. */
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

/** VS Code takes no context with a prompt, and sends no end of a session. */
const vscode: Dialect = {
  ...claudeCode,
  harness: 'vscode',
  runsOthers: true,
  events: {
    'session-start': 'SessionStart',
    'user-prompt-submit': 'UserPromptSubmit',
    notifications: 'PreToolUse',
    'session-checkpoint-extract': 'Stop',
    'pre-compaction': 'PreCompact',
    'subagent-start': 'SubagentStart',
  },
  read: readHookEvent,
  injects: new Set(['SessionStart', 'PreToolUse', 'SubagentStart']),
  steersCompaction: false,
}

/** Grok Build ignores what hooks print. */
const grok: Dialect = {
  ...claudeCode,
  harness: 'grok',
  runsOthers: true,
  events: {
    'session-start': 'session_start',
    'user-prompt-submit': 'user_prompt_submit',
    'session-checkpoint-extract': 'stop',
    'compaction-complete': 'post_compact',
    'session-end': 'session_end',
  },
  read: readHookEvent,
  injects: new Set(),
  steersCompaction: false,
}

/** Events that nearly every program took over from Claude Code. */
const commonEvents: Dialect['events'] = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'session-checkpoint-extract': 'Stop',
  'session-end': 'SessionEnd',
}

/** Dialect of a program that calls hooks as Claude Code does. */
function claudeShaped(differences: Partial<Dialect> & Pick<Dialect, 'harness'>): Dialect {
  return {
    events: commonEvents,
    read: readSnakeCase,
    injects: new Set(['SessionStart', 'UserPromptSubmit']),
    inject: specificOutput,
    sizeOf: characters,
    maxSize: maxCharacters,
    steersCompaction: false,
    ...differences,
  }
}

const devin = claudeShaped({
  harness: 'devin',
  events: { ...commonEvents, notifications: 'PreToolUse' },
  injects: new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse']),
  runsOthers: true,
})

const qwen = claudeShaped({
  harness: 'qwen',
  events: { ...commonEvents, 'compaction-complete': 'PostCompact' },
  read: readQwen,
})

/** Kiro adds the plain text that a hook prints. */
const kiro = claudeShaped({ harness: 'kiro', inject: (_eventName, context) => context })

/** Kimi Code adds the plain text that a hook prints, with prompts alone. */
const kimi = claudeShaped({
  harness: 'kimi',
  events: { ...commonEvents, 'compaction-complete': 'PostCompact' },
  read: readKimi,
  injects: new Set(['UserPromptSubmit']),
  inject: (_eventName, context) => context,
  startsWithPrompt: true,
})

/**
 * Antigravity calls the same hook before each request to the model, and has none for the start of a session.
 * Any field that it does not know fails the step.
 */
const antigravity = claudeShaped({
  harness: 'antigravity',
  events: { 'user-prompt-submit': 'PreInvocation', 'session-checkpoint-extract': 'Stop' },
  read: readAntigravity,
  injects: new Set(['PreInvocation']),
  inject: (_eventName, context) => ({ injectSteps: [{ ephemeralMessage: context }] }),
  nothing: '{}',
  startsWithPrompt: true,
})

/** Our extension adds the text: that of the start to the system prompt, that of a prompt behind it. */
const pi = claudeShaped({
  harness: 'pi',
  events: { ...commonEvents, 'compaction-complete': 'PostCompact' },
  inject: (_eventName, context) => context,
})

/** Its `on_session_end` comes after each answer; the last event of a session is another one. */
const hermes = claudeShaped({
  harness: 'hermes-agent',
  events: {
    'session-start': 'on_session_start',
    'user-prompt-submit': 'pre_llm_call',
    'session-checkpoint-extract': 'post_llm_call',
    // It has no event of its own: the conversation of the next answer has the summary.
    'compaction-complete': 'post_llm_call',
    'session-end': 'on_session_finalize',
  },
  read: readPassed,
  injects: new Set(['pre_llm_call']),
  inject: (_eventName, context) => ({ context }),
  startsWithPrompt: true,
})

/** Cline runs a file beside the turn when a task is done, and reads nothing from it. */
const cline = claudeShaped({
  harness: 'cline',
  events: { 'session-checkpoint-extract': 'agent_end' },
  read: readCline,
  injects: new Set(),
})

const dialects: Readonly<Record<DialectHarness, Dialect>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  cursor,
  copilot,
  vscode,
  grok,
  devin,
  qwen,
  droid: claudeShaped({ harness: 'droid' }),
  junie: claudeShaped({ harness: 'junie' }),
  kiro,
  antigravity,
  kimi,
  pi,
  'oh-my-pi': { ...pi, harness: 'oh-my-pi' },
  'hermes-agent': hermes,
  openclaw: { ...pi, harness: 'openclaw', events: commonEvents, read: readPassed },
  cline,
}

export function dialectOf(harness: DialectHarness): Dialect {
  return dialects[harness]
}

/** The event of a call: as the harness reports it, otherwise the usual one for the hook. */
export function eventNameOf({ events }: Dialect, hook: HarnessHook, event: NativeEvent): string {
  return event.name ?? events[hook] ?? ''
}

/** Shared by Claude Code, Codex and Gemini CLI. */
function specificOutput(hookEventName: string, additionalContext: string): object {
  return { hookSpecificOutput: { hookEventName, additionalContext } }
}

function characters(text: string): number {
  return text.length
}
