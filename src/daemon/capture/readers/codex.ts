import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface CodexLine {
  type?: unknown
  timestamp?: unknown
  payload?: CodexPayload | null
}

interface CodexPayload {
  type?: unknown
  role?: unknown
  content?: unknown
  message?: unknown
}

/** What a line of a rollout holds: a turn of the log of messages, one of the log of events that repeats it, or neither. */
export type CodexTurn =
  | { log: 'messages' | 'events'; message: TranscriptMessage }
  | { log: 'none'; message?: undefined }

const lineTypes = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted'])

/** What Codex itself puts in front of the model in the user's name. */
const injected =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill)[\s>_]|# AGENTS\.md instructions)/u

const nothing: CodexTurn = { log: 'none' }

/** True for a line of `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export function isCodexLine(line: object): boolean {
  const { type, payload } = line as CodexLine
  return lineTypes.has(type as string) && typeof payload === 'object' && payload !== null
}

export function codexTurn(line: object): CodexTurn {
  const { type, timestamp, payload } = line as CodexLine
  const at = timeOf(timestamp)
  if (type === 'response_item' && payload?.type === 'message') {
    const role = roleOf(payload.role)
    const text = textOf(payload.content)
    return role === undefined || isNoise(text) ? nothing : { log: 'messages', message: { role, text, at } }
  }
  if (type !== 'event_msg' || typeof payload?.message !== 'string' || isNoise(payload.message)) return nothing
  const role = eventRoles[payload.type as string]
  return role ? { log: 'events', message: { role, text: payload.message, at } } : nothing
}

const eventRoles: Readonly<Record<string, 'user' | 'assistant'>> = {
  user_message: 'user',
  agent_message: 'assistant',
}

function isNoise(text: string): boolean {
  return text.trim() === '' || injected.test(text)
}

/** The summary in a line that a compaction left; undefined in any other line. */
export function compactionOf(line: object): { summary: string; at: string | null } | undefined {
  const { type, timestamp, payload } = line as CodexLine & { payload?: { replacement_history?: unknown } }
  if (type !== 'compacted') return undefined
  const history = Array.isArray(payload?.replacement_history) ? payload.replacement_history : []
  const told = typeof payload?.message === 'string' ? payload.message : ''
  const summary = told.trim() === '' ? lastTextOf(history) : told
  return summary === '' ? undefined : { summary, at: timeOf(timestamp) }
}

function lastTextOf(history: readonly unknown[]): string {
  const texts = history.map(item => textOf((item as CodexPayload | null)?.content))
  return texts.findLast(text => text.trim() !== '') ?? ''
}
