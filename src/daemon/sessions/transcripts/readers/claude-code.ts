import { withoutReminders } from '../../../ground/text/private-spans.js'
import {
  isSpeaker,
  type LeftOut,
  roleOf,
  type TranscriptMessage,
  textOf,
  timeOf,
} from '../transcript-message.js'

interface ClaudeLine {
  type?: unknown
  sessionId?: unknown
  isSidechain?: unknown
  isMeta?: unknown
  isCompactSummary?: unknown
  isApiErrorMessage?: unknown
  timestamp?: unknown
  message?: { role?: unknown; content?: unknown } | string | null
  attachment?: { type?: unknown; prompt?: unknown; commandMode?: unknown } | null
}

/** Text that Claude Code writes in the user's name: commands, their output, notices. */
const markup =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification|user-memory-input)[\s>]|\[Request interrupted by user)/u

/** A custom command or a skill that the user typed; the program's own commands begin with their name. */
const ownCommand =
  /^\s*<command-message>[\s\S]*?<\/command-message>\s*<command-name>\s*([^<]*?)\s*<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?/u

/** True for a line of `~/.claude/projects/<folder>/<session>.jsonl` with a turn, or a prompt that waited. */
export function isClaudeLine(line: object): boolean {
  const { type, message, attachment } = line as ClaudeLine
  if (type === 'attachment') return attachment?.type === 'queued_command'
  return (type === 'user' || type === 'assistant') && isMessage(message)
}

/** Some lines have their text in place of a message. */
function isMessage(message: unknown): boolean {
  return (typeof message === 'object' && message !== null) || typeof message === 'string'
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
export function claudeMessage(line: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { isSidechain, isMeta, isCompactSummary, isApiErrorMessage, timestamp, ...rest } = line as ClaudeLine
  const said = rest.type === 'attachment' ? queuedPrompt(rest) : rest.message
  const message = typeof said === 'string' || Array.isArray(said) ? { role: rest.type, content: said } : said
  if (isSidechain === true || isMeta === true || isCompactSummary === true || isApiErrorMessage === true)
    return undefined
  const role = roleOf(message?.role)
  const written = role === undefined ? '' : textOf(message?.content, leftOut)
  if (role === undefined || written.trim() === '') return undefined
  const command = role === 'user' ? typedCommand(written) : undefined
  if (command === undefined && role === 'user' && markup.test(written)) return undefined
  return { role, text: command ?? withoutReminders(written), at: timeOf(timestamp) }
}

/** A prompt that was typed while the program worked; only this line repeats it once it is sent. */
function queuedPrompt({ attachment }: ClaudeLine): ClaudeLine['message'] {
  const { commandMode = 'prompt', prompt } = attachment ?? {}
  return commandMode === 'prompt' ? { role: 'user', content: prompt } : undefined
}

/** Returns a command of the user's own as it was typed: `/ship staging`. */
function typedCommand(written: string): string | undefined {
  const [, name, args = ''] = ownCommand.exec(written) ?? []
  // A skill that the agent loads has a name without a slash.
  return name?.startsWith('/') ? `${name} ${args.trim()}`.trim() : undefined
}
