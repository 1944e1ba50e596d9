import { type TranscriptMessage, timeOf } from '../transcript-message.js'

interface CopilotEvent {
  type?: unknown
  timestamp?: unknown
  /** The sub-agent of an event. */
  agentId?: unknown
  data?: CopilotData | null
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
  return typeof type === 'string' && /^\w+\.\w+$/u.test(type) && typeof data === 'object' && data !== null
}

/**
 * Returns the message of an event; undefined for sub-agents, tools, notices and text of the program itself.
 * Additions of hooks have their own field. A rewind removes its events from the file.
 */
export function copilotMessage(line: object): TranscriptMessage | undefined {
  const { type, timestamp, agentId, data } = line as CopilotEvent
  const role = speakers[type as string]
  if (role === undefined || agentId !== undefined || !data) return undefined
  const { content, source, isAutopilotContinuation, phase } = data
  if (typeof content !== 'string' || content.trim() === '') return undefined
  // Scheduled prompts were also written by the user.
  const isOfUser = source === undefined || /^(?:user$|schedule-)/u.test(String(source))
  if (!isOfUser || isAutopilotContinuation === true || phase === 'thinking') return undefined
  return { role, text: content, at: timeOf(timestamp) }
}
