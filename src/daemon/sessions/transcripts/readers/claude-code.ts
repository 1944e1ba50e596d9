import { tagPattern, withoutElements } from '../../../ground/text/tag-spans.js'
import { isSpeaker, roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface ClaudeLine {
  type?: unknown
  sessionId?: unknown
  isSidechain?: unknown
  isMeta?: unknown
  isCompactSummary?: unknown
  isApiErrorMessage?: unknown
  timestamp?: unknown
  message?: { role?: unknown; content?: unknown } | null
}

/** What Claude Code itself wrote in the user's name: commands, their output, notices. */
const markup =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification|user-memory-input)[\s>]|\[Request interrupted by user)/u

const reminderTag = tagPattern('system-reminder')

/** True for a line of `~/.claude/projects/<folder>/<session>.jsonl` that holds a turn. */
export function isClaudeLine(line: object): boolean {
  const { type, message } = line as ClaudeLine
  return (type === 'user' || type === 'assistant') && typeof message === 'object' && message !== null
}

/**
 * True for any line that only Claude Code writes. What stands beside its turns repeats them, with all that it put in
 * front of the model: the requests themselves, for one (`api-request-blob`, with a message inside).
 */
export function isOfClaude(line: object): boolean {
  const { type, sessionId } = line as ClaudeLine
  if (typeof sessionId !== 'string' || typeof type !== 'string' || 'role' in line) return false
  return isClaudeLine(line) || !isSpeaker(type)
}

/** What a line says in the conversation; undefined for sub-agents, notices, tools and what the program wrote itself. */
export function claudeMessage(line: object): TranscriptMessage | undefined {
  const { isSidechain, isMeta, isCompactSummary, isApiErrorMessage, timestamp, message } = line as ClaudeLine
  if (isSidechain === true || isMeta === true || isCompactSummary === true || isApiErrorMessage === true)
    return undefined
  const role = roleOf(message?.role)
  const written = textOf(message?.content)
  if (role === undefined || written.trim() === '') return undefined
  if (role === 'user' && markup.test(written)) return undefined
  return { role, text: withoutReminders(written), at: timeOf(timestamp) }
}

/** Reminders that the program put among the words of the user. */
function withoutReminders(text: string): string {
  return text.includes('system-reminder')
    ? withoutElements(text, reminderTag, { nests: false, dropsUnclosed: () => false })
    : text
}
