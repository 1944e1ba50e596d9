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
type CodexTurn =
  | { log: 'messages' | 'events'; message: TranscriptMessage }
  | { log: 'none'; message?: undefined }

const lineTypes = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted'])

/** What Codex itself puts in front of the model in the user's name. */
const injected =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill)[\s>_]|# AGENTS\.md instructions)/u

/** What Codex puts before a summary to tell the model whose it is. */
const preamble = /^\s*Another language model started to solve this problem\b[^\n]*:\s*\n/u

const nothing: CodexTurn = { log: 'none' }

/** True for a line of `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export function isCodexLine(line: object): boolean {
  const { type, payload } = line as CodexLine
  return lineTypes.has(type as string) && typeof payload === 'object' && payload !== null
}

/** The rollout of a session, read line by line. */
export interface CodexLog {
  /** @returns the turn that is certain by now. */
  take(line: object): TranscriptMessage | undefined
  /** The turns that `take` has not returned, once every line was read. */
  rest(): readonly TranscriptMessage[]
}

/**
 * Codex keeps two logs of one conversation: that of events counts only where there is no other. The summary of a
 * compaction stands there as an answer too, just before the line that tells of it, and is kept with the compaction.
 */
export function createCodexLog(): CodexLog {
  let events: TranscriptMessage[] | undefined = []
  let held: TranscriptMessage | undefined
  const isSummary = (said: TranscriptMessage | undefined, summary: string): boolean =>
    said?.role === 'assistant' && said.text.trim() === summary
  return {
    take: line => {
      const { log, message } = codexTurn(line)
      if (log === 'events') events?.push(message)
      const summary = log === 'none' ? compactionOf(line)?.summary : undefined
      if (summary !== undefined && isSummary(held, summary)) held = undefined
      if (summary !== undefined && isSummary(events?.at(-1), summary)) events?.pop()
      if (log !== 'messages') return undefined
      events = undefined
      const certain = held
      held = message
      return certain
    },
    rest: () => events ?? (held ? [held] : []),
  }
}

function codexTurn(line: object): CodexTurn {
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

/** What a compaction left. */
export interface Compaction {
  /** Without Codex's own words before it; undefined where only the provider of the model can read it. */
  summary: string | undefined
  /** ISO time. */
  at: string | null
}

/** @returns undefined for a line that no compaction left. */
export function compactionOf(line: object): Compaction | undefined {
  const { type, timestamp, payload } = line as CodexLine & { payload?: { replacement_history?: unknown } }
  if (type !== 'compacted') return undefined
  const history = Array.isArray(payload?.replacement_history) ? payload.replacement_history : []
  const told = typeof payload?.message === 'string' ? payload.message : ''
  const summary = (told.trim() === '' ? summaryIn(history) : told).replace(preamble, '').trim()
  return { summary: summary === '' ? undefined : summary, at: timeOf(timestamp) }
}

/** A history without a summary that can be read ends with what the user said. */
function summaryIn(history: readonly unknown[]): string {
  const texts = history.map(item => textOf((item as CodexPayload | null)?.content))
  return texts.findLast(text => preamble.test(text)) ?? ''
}
