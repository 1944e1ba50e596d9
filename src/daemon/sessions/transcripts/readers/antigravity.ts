import { type TranscriptMessage, timeOf } from '../transcript-message.js'

interface AntigravityLine {
  source?: unknown
  type?: unknown
  content?: unknown
  timestamp?: unknown
}

/** True for a line of Antigravity's `transcript.jsonl`. */
export function isAntigravityLine(line: object): boolean {
  const { source } = line as AntigravityLine
  return typeof source === 'string' && /^[A-Z]+(?:_[A-Z]+)*$/u.test(source)
}

/** Returns the message of a line; undefined for tools and for texts of the program itself. */
export function antigravityMessage(line: object): TranscriptMessage | undefined {
  const { source, type, content, timestamp } = line as AntigravityLine
  if (typeof content !== 'string' || content.trim() === '') return undefined
  const at = timeOf(timestamp)
  if (source === 'USER_EXPLICIT') return { role: 'user', text: requestIn(content), at }
  return source === 'MODEL' && type === 'PLANNER_RESPONSE'
    ? { role: 'assistant', text: content, at }
    : undefined
}

/** The program adds its own remarks around what the user wrote. */
function requestIn(content: string): string {
  const [, behind] = content.split('<USER_REQUEST>', 2)
  return behind?.split('</USER_REQUEST>', 1)[0]?.trim() || content
}
