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

/** Text that Claude Code writes in the user's name: commands, their output, notices. */
const markup =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification|user-memory-input)[\s>]|\[Request interrupted by user)/u

/** A custom command or a skill that the user typed. The program's own commands begin with the name. */
const typedCommand =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>(\/[^<]+)<\/command-name>(?:\s*<command-args>([\s\S]*)<\/command-args>)?/u

const reminderTag = tagPattern('system-reminder')

/** True for a line of `~/.claude/projects/<folder>/<session>.jsonl` with a turn. */
export function isClaudeLine(line: object): boolean {
  const { type, message } = line as ClaudeLine
  return (type === 'user' || type === 'assistant') && typeof message === 'object' && message !== null
}

/**
 * True for any line that only Claude Code writes. Lines other than turns repeat them and everything sent to
 * the model, such as the requests (`api-request-blob`, with a message inside).
 */
export function isOfClaude(line: object): boolean {
  const { type, sessionId } = line as ClaudeLine
  if (typeof sessionId !== 'string' || typeof type !== 'string' || 'role' in line) return false
  return isClaudeLine(line) || !isSpeaker(type)
}

/** Returns the message in a line; undefined for sub-agents, notices, tools and text of the program itself. */
export function claudeMessage(line: object): TranscriptMessage | undefined {
  const { isSidechain, isMeta, isCompactSummary, isApiErrorMessage, timestamp, message } = line as ClaudeLine
  if (isSidechain === true || isMeta === true || isCompactSummary === true || isApiErrorMessage === true)
    return undefined
  const role = roleOf(message?.role)
  const written = textOf(message?.content)
  if (role === undefined || written.trim() === '') return undefined
  const at = timeOf(timestamp)
  if (role !== 'user' || !markup.test(written)) return { role, text: withoutReminders(written), at }
  const [, command, input = ''] = typedCommand.exec(written) ?? []
  return command === undefined ? undefined : { role, text: `${command} ${input}`.trim(), at }
}

/** Removes reminders that the program inserts into the user's text. */
function withoutReminders(text: string): string {
  return text.includes('system-reminder')
    ? withoutElements(text, reminderTag, { nests: false, dropsUnclosed: () => false })
    : text
}
