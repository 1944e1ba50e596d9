import type { z } from 'zod'
import {
  antigravityInput,
  clineInput,
  copilotInput,
  copilotPascalInput,
  cursorInput,
  hookEventInput,
  kimiInput,
  passedInput,
  qwenInput,
  snakeCaseInput,
} from '../../../contract/sessions/harness-hook.js'
import type { DialectHarness, HarnessHook } from '../../../contract/sessions/harness-names.js'
import { folderOfCursor, hermesSummary } from '../../../lib/text/agent-lines.js'
import { isRecord } from '../../../lib/text/json-of.js'
import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcripts/transcript-message.js'

/** Hook input in one format for all harnesses. */
export interface NativeEvent {
  sessionKey: string
  /** The harness's own name of the event. */
  name: string | undefined
  cwd?: string | undefined
  transcriptPath?: string | undefined
  /** Id of the sub-agent that called the hook; absent in the session itself. */
  subagent?: string | undefined
  prompt?: string | undefined
  lastAssistantMessage?: string | undefined
  summary?: string | undefined
  /** Trigger of a compaction, as the harness names it. */
  trigger?: string | undefined
  messageCount?: number | undefined
  /** Reason for the end of a session, as the harness names it. */
  reason?: string | undefined
  /** Reason for the start of a session, as the harness names it. */
  source?: string | undefined
  /** The skill that a tool is about to load. */
  skill?: string | undefined
  /** A value that all hooks of one event get, and no other event of the session. */
  occurrence?: string | number | undefined
  /** The prompt is the last one of the transcript; `first` if the session has just started. */
  promptInFile?: 'first' | 'later' | undefined
  /** The conversation so far, if the event has it. */
  said?: readonly TranscriptMessage[] | undefined
  /** The reason why there is nothing to do for this event. */
  idle?: string | undefined
}

/** Parses hook input of a harness; undefined without a session. */
export type ReadNative = (input: unknown) => NativeEvent | undefined

const fromSnakeCase = (native: z.infer<typeof snakeCaseInput>): NativeEvent => ({
  sessionKey: native.session_id,
  name: native.hook_event_name,
  cwd: native.cwd,
  transcriptPath: native.transcript_path,
  subagent: native.agent_id,
  prompt: native.prompt,
  lastAssistantMessage: native.last_assistant_message ?? native.prompt_response,
  summary: native.compact_summary && withoutAnalysis(native.compact_summary),
  trigger: native.trigger,
  reason: native.reason,
  source: native.source,
  skill: skillOf(native),
})

export const readSnakeCase: ReadNative = reader(snakeCaseInput, fromSnakeCase)

export const readCursor: ReadNative = reader(cursorInput, native => ({
  sessionKey: native.conversation_id,
  name: native.hook_event_name,
  cwd: folderOfCursor(native.workspace_roots?.[0]),
  transcriptPath: native.transcript_path,
  prompt: native.prompt,
  messageCount: native.message_count,
  reason: native.reason,
  occurrence: native.generation_id && `${native.generation_id} ${native.loop_count ?? ''}`,
}))

/** For VS Code and Grok Build. */
export const readHookEvent: ReadNative = reader(hookEventInput, native => ({
  sessionKey: native.sessionId,
  name: native.hookEventName,
  cwd: native.cwd,
  transcriptPath: native.transcript_path ?? native.transcriptPath,
  subagent: native.agent_id,
  prompt: native.prompt,
  lastAssistantMessage: native.lastAssistantMessage,
  trigger: native.trigger,
  reason: native.reason,
  source: native.source,
  occurrence: native.timestamp,
  // Grok Build sends a last stop after the end, which would make the session live again.
  idle: native.hookEventName === 'stop' && native.reason === 'shutdown' ? 'the session has ended' : undefined,
}))

export const readQwen: ReadNative = reader(qwenInput, native => {
  const { hook_event_name, submitted_prompt } = native
  const isPrompt = hook_event_name === 'UserPromptSubmit'
  return {
    ...fromSnakeCase(native),
    ...(isPrompt && { prompt: submitted_prompt }),
    source: sourceAnew(native.source),
    idle: isPrompt && submitted_prompt === undefined ? 'no person wrote this prompt' : undefined,
  }
})

export const readKimi: ReadNative = reader(kimiInput, fromSnakeCase)

export const readAntigravity: ReadNative = reader(antigravityInput, native => ({
  sessionKey: native.conversationId,
  name: undefined,
  cwd: native.workspacePaths?.[0],
  transcriptPath: native.transcriptPath,
  promptInFile: native.invocationNum === undefined ? undefined : native.invocationNum > 0 ? 'later' : 'first',
  idle: native.fullyIdle === false ? 'the agent goes on working' : undefined,
}))

/** For Hermes Agent and OpenClaw. */
export const readPassed: ReadNative = reader(
  passedInput,
  ({ session_id, hook_event_name, cwd, source, extra }) => ({
    sessionKey: session_id,
    name: hook_event_name,
    cwd,
    source,
    prompt: extra?.user_message,
    lastAssistantMessage: extra?.assistant_response,
    ...sinceCompaction(extra?.conversation_history?.flatMap(messageIn)),
  }),
)

export const readCline: ReadNative = reader(clineInput, native => ({
  sessionKey: native.sessionContext.rootSessionId,
  name: native.hookName,
  cwd: native.workspaceRoots?.[0],
  subagent: native.parent_agent_id && native.agent_id,
  lastAssistantMessage: native.turn?.outputText,
}))

const readCopilotCamel: ReadNative = reader(copilotInput, native => ({
  sessionKey: native.sessionId,
  name: undefined,
  cwd: native.cwd,
  transcriptPath: native.transcriptPath,
  subagent: native.agentId,
  prompt: native.prompt,
  reason: native.reason,
  source: sourceAnew(native.source),
  occurrence: native.timestamp,
}))

export const readCopilotPascal: ReadNative = reader(copilotPascalInput, native => ({
  ...fromSnakeCase(native),
  source: sourceAnew(native.source),
  occurrence: native.timestamp,
}))

/** In some programs a resumed session has lost its starting context, as after a clear. */
function sourceAnew(source: string | undefined): string | undefined {
  return source === 'resume' ? 'clear' : source
}

export const readCopilot: ReadNative = input => readCopilotCamel(input) ?? readCopilotPascal(input)

/** Claude Code has its own tool for skills. */
function skillOf({ tool_name, tool_input }: z.infer<typeof snakeCaseInput>): string | undefined {
  return tool_name === 'Skill' ? (tool_input?.skill ?? tool_input?.command) : undefined
}

/** Claude Code writes its analysis before the summary and keeps only the content of `<summary>`. */
function withoutAnalysis(text: string): string {
  const summary = /<summary>([\s\S]*?)(?:<\/summary>|$)/u.exec(text)?.[1] ?? ''
  return (summary.trim() || text.replace(/<analysis>[\s\S]*?(?:<\/analysis>|$)/gu, '')).trim() || text
}

function messageIn(passed: unknown): TranscriptMessage[] {
  if (!isRecord(passed) || typeof passed.role !== 'string') return []
  const role = roleOf(passed.role)
  const text = textOf(passed.content)
  return role === undefined || text.trim() === '' ? [] : [{ role, text, at: passedTime(passed.timestamp) }]
}

/** A history after a compaction repeats the beginning of the session, which is known, before the summary. */
function sinceCompaction(history: readonly TranscriptMessage[] | undefined): Partial<NativeEvent> {
  const at = history?.findLastIndex(({ text }) => hermesSummary(text) !== undefined) ?? -1
  const message = history?.[at]
  if (!history || !message) return { said: history }
  const { before = '', summary } = hermesSummary(message.text) ?? {}
  return { said: [...(before ? [{ ...message, text: before }] : []), ...history.slice(at + 1)], summary }
}

/** Hermes Agent counts seconds. */
function passedTime(value: unknown): string | null {
  return timeOf(typeof value === 'number' && value < 1e11 ? value * 1000 : value)
}

function reader<S extends z.ZodType>(schema: S, map: (native: z.infer<S>) => NativeEvent): ReadNative {
  return input => {
    const { data } = schema.safeParse(input)
    return data === undefined ? undefined : map(data as z.infer<S>)
  }
}

/** End reasons known to the API, by harness names; others are left out (rules.md 4.10). */
const endReasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  resume: 'session_switch',
}

export type HookBody = Readonly<Record<string, string | number | boolean | undefined>>

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
  // It comes before every tool, and its text stays in the conversation.
  notifications: ({ name, skill }) => ({ hook: name, skill, once: true }),
  'subagent-start': () => ({}),
}

/**
 * The body of the API's own hook (rules.md 4.10). Commands and HTTP hooks share the runtime path `legacy`,
 * since a session may use both.
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
