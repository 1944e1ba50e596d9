import { tagPattern, withoutElements } from '../tag-spans.js'
import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface ClaudeLine {
  type?: unknown
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

/** True for a line of `~/.claude/projects/<folder>/<session>.jsonl`. */
export function isClaudeLine(line: object): boolean {
  const { type, message } = line as ClaudeLine
  return (type === 'user' || type === 'assistant') && typeof message === 'object' && message !== null
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
