import type { z } from 'zod'
import { copilotInput, cursorInput, snakeCaseInput } from '../../contract/harness-hook.js'

/** What a harness says when it calls a hook, in one form for all harnesses. */
export interface NativeEvent {
  sessionKey: string
  /** The harness's own name of the event. */
  name: string | undefined
  cwd?: string | undefined
  transcriptPath?: string | undefined
  /** Names the sub-agent that a hook fired in; absent in the session itself. */
  subagent?: string | undefined
  prompt?: string | undefined
  lastAssistantMessage?: string | undefined
  summary?: string | undefined
  messageCount?: number | undefined
  /** Why a session ended, in the harness's words. */
  reason?: string | undefined
  /** Why a session starts, in the harness's words. */
  source?: string | undefined
}

/** Reads what a harness wrote; undefined when it names no session. */
export type ReadNative = (input: unknown) => NativeEvent | undefined

export const readSnakeCase: ReadNative = reader(snakeCaseInput, native => ({
  sessionKey: native.session_id,
  name: native.hook_event_name,
  cwd: native.cwd,
  transcriptPath: native.transcript_path,
  subagent: native.agent_id,
  prompt: native.prompt,
  lastAssistantMessage: native.last_assistant_message ?? native.prompt_response,
  summary: native.compact_summary,
  reason: native.reason,
  source: native.source,
}))

export const readCursor: ReadNative = reader(cursorInput, native => ({
  sessionKey: native.conversation_id,
  name: native.hook_event_name,
  cwd: native.workspace_roots?.[0],
  transcriptPath: native.transcript_path,
  prompt: native.prompt,
  messageCount: native.message_count,
  reason: native.reason,
}))

const readCamelCase: ReadNative = reader(copilotInput, native => ({
  sessionKey: native.sessionId,
  name: undefined,
  cwd: native.cwd,
  transcriptPath: native.transcriptPath,
  prompt: native.prompt,
  reason: native.reason,
}))

export const readCopilot: ReadNative = input => readCamelCase(input) ?? readSnakeCase(input)

function reader<S extends z.ZodType>(schema: S, map: (native: z.infer<S>) => NativeEvent): ReadNative {
  return input => {
    const { data } = schema.safeParse(input)
    return data === undefined ? undefined : map(data as z.infer<S>)
  }
}
