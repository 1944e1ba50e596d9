import {
  type LeftOut,
  leaveOut,
  roleOf,
  type TranscriptMessage,
  textOf,
  timeOf,
} from '../transcript-message.js'

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

/**
 * A line of a rollout: a turn in the log of messages, one in the log of events that repeats it, or neither.
 */
type CodexTurn =
  | { log: 'messages' | 'events'; message: TranscriptMessage }
  | { log: 'none'; message?: undefined }

const lineTypes = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted'])

/** Text that Codex sends to the model in the user's name. */
const injected =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill)[\s>_]|# AGENTS\.md instructions)/u

/** Text that Codex puts before a summary to explain its origin to the model. */
const preamble = /^\s*Another language model started to solve this problem\b[^\n]*:\s*\n/u

const noTurn: CodexTurn = { log: 'none' }

/** True for a line of `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export function isCodexLine(line: object): boolean {
  const { type, payload } = line as CodexLine
  return lineTypes.has(type as string) && typeof payload === 'object' && payload !== null
}

/** The rollout of a session, read line by line. */
export interface CodexLog {
  /** @returns the turn that this line makes certain. */
  take(line: object): TranscriptMessage | undefined
  /** Turns not returned by `take`, after the last line. */
  rest(): readonly TranscriptMessage[]
}

/**
 * Codex writes two logs of one conversation; the log of events counts only when the other is missing. The
 * summary of a compaction also appears as an answer just before the compaction's line, and is dropped there.
 */
export function createCodexLog(leftOut: LeftOut): CodexLog {
  let events: TranscriptMessage[] | undefined = []
  let held: TranscriptMessage | undefined
  const isSummary = (said: TranscriptMessage | undefined, summary: string): boolean =>
    said?.role === 'assistant' && said.text.trim() === summary
  return {
    take: line => {
      const { log, message } = codexTurn(line, leftOut)
      if (log === 'events') events?.push(message)
      const summary = log === 'none' ? parseCompaction(line)?.summary : undefined
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

/** Returns the turn in a line of a rollout. */
export function codexTurn(line: object, leftOut: LeftOut): CodexTurn {
  const { type, timestamp, payload } = line as CodexLine
  const at = timeOf(timestamp)
  if (isTurnLine(type) && typeof payload?.type !== 'string') leaveOut(leftOut, 'odd_messages')
  if (type === 'response_item' && payload?.type === 'message') {
    const role = roleOf(payload.role)
    const text = role === undefined ? '' : textOf(payload.content, leftOut)
    return role === undefined || isNoise(text) ? noTurn : { log: 'messages', message: { role, text, at } }
  }
  const role = type === 'event_msg' ? eventRoles[payload?.type as string] : undefined
  const text = role ? textOf(payload?.message, leftOut) : ''
  return role && !isNoise(text) ? { log: 'events', message: { role, text, at } } : noTurn
}

function isTurnLine(type: unknown): boolean {
  return type === 'response_item' || type === 'event_msg'
}

const eventRoles: Readonly<Record<string, 'user' | 'assistant'>> = {
  user_message: 'user',
  agent_message: 'assistant',
}

function isNoise(text: string): boolean {
  return text.trim() === '' || injected.test(text)
}

/** The content of a compaction. */
export interface Compaction {
  /** Without Codex's own introduction; undefined when only the model provider can read it. */
  summary: string | undefined
  /** ISO time. */
  at: string | null
}

/** @returns undefined for any line other than a compaction. */
export function parseCompaction(line: object): Compaction | undefined {
  const { type, timestamp, payload } = line as CodexLine & { payload?: { replacement_history?: unknown } }
  if (type !== 'compacted') return undefined
  const history = Array.isArray(payload?.replacement_history) ? payload.replacement_history : []
  const told = typeof payload?.message === 'string' ? payload.message : ''
  const summary = (told.trim() === '' ? summaryIn(history) : told).replace(preamble, '').trim()
  return { summary: summary === '' ? undefined : summary, at: timeOf(timestamp) }
}

/** A history without a readable summary ends with a user message. */
function summaryIn(history: readonly unknown[]): string {
  const texts = history.map(item => textOf((item as CodexPayload | null)?.content))
  return texts.findLast(text => preamble.test(text)) ?? ''
}
