import { type LeftOut, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface CopilotEvent {
  type?: unknown
  timestamp?: unknown
  /** The sub-agent of an event. */
  agentId?: unknown
  data?: CopilotData | string | null
}

interface CopilotData {
  content?: unknown
  /** Author of text in the user's name: a skill, a command, an agent; absent for the user. */
  source?: unknown
  isAutopilotContinuation?: unknown
  phase?: unknown
}

const speakers: Readonly<Record<string, 'user' | 'assistant'>> = {
  'user.message': 'user',
  'assistant.message': 'assistant',
}

/** True for a line of `~/.copilot/session-state/<session>/events.jsonl`. */
export function isCopilotEvent(line: object): boolean {
  const { type, data } = line as CopilotEvent
  return typeof type === 'string' && /^\w+\.\w+$/u.test(type) && data !== undefined && data !== null
}

/**
 * Returns the message of an event; undefined for sub-agents, tools, notices and text of the program itself.
 * Additions of hooks have their own field. A rewind removes its events from the file.
 */
export function copilotMessage(line: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { type, timestamp, agentId, data } = line as CopilotEvent
  const role = speakers[type as string]
  if (role === undefined || (agentId ?? undefined) !== undefined || !data) return undefined
  const {
    content,
    source = undefined,
    isAutopilotContinuation,
    phase,
  }: CopilotData = typeof data === 'object' && !Array.isArray(data) ? data : { content: data }
  // Scheduled prompts were also written by the user.
  const isOfUser = source === undefined || source === null || /^(?:user$|schedule-)/u.test(String(source))
  if (!isOfUser || isAutopilotContinuation === true || phase === 'thinking') return undefined
  const text = textOf(content, leftOut)
  return text.trim() === '' ? undefined : { role, text, at: timeOf(timestamp) }
}
