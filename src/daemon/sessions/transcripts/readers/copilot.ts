import { type TranscriptMessage, timeOf } from '../transcript-message.js'

interface CopilotEvent {
  type?: unknown
  timestamp?: unknown
  /** Names the sub-agent that an event is of. */
  agentId?: unknown
  data?: CopilotData | null
}

interface CopilotData {
  content?: unknown
  /** Who wrote it in the user's name: a skill, a command, an agent; absent for the user. */
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
 * What an event says in the conversation; undefined for sub-agents, tools, notices and what the program wrote itself.
 * What hooks added stands in a field of its own. A rewind takes its events out of the file.
 */
export function copilotMessage(line: object): TranscriptMessage | undefined {
  const { type, timestamp, agentId, data } = line as CopilotEvent
  const role = speakers[type as string]
  if (role === undefined || agentId !== undefined || !data) return undefined
  const { content, source, isAutopilotContinuation, phase } = data
  if (typeof content !== 'string' || content.trim() === '') return undefined
  // The user also wrote what comes at times that he set.
  const isOfUser = source === undefined || /^(?:user$|schedule-)/u.test(String(source))
  if (!isOfUser || isAutopilotContinuation === true || phase === 'thinking') return undefined
  return { role, text: content, at: timeOf(timestamp) }
}
