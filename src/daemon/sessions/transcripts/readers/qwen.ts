import { type LeftOut, roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface QwenLine {
  timestamp?: unknown
  /** Author of the line: `real_user`, `assistant_output`, `system` and others. */
  provenance?: unknown
  message?: { role?: unknown; parts?: unknown } | null
}

const authors: ReadonlySet<unknown> = new Set(['real_user', 'assistant_output'])

/** True for a turn in `~/.qwen/projects/<folder>/chats/<session>.jsonl`. */
export function isQwenLine(line: object): boolean {
  const { provenance, message } = line as QwenLine
  return typeof provenance === 'string' && Array.isArray(message?.parts)
}

/** Returns the message of a line without additions of hooks; undefined for results of tools and notices. */
export function qwenMessage(line: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { timestamp, provenance, message } = line as QwenLine
  const role = roleOf(message?.role)
  if (role === undefined || !authors.has(provenance)) return undefined
  const parts = Array.isArray(message?.parts) ? message.parts : []
  const said = parts.filter(part => !textOf([part]).startsWith('<qwen:'))
  const text = textOf(said, leftOut)
  return text.trim() === '' ? undefined : { role, text, at: timeOf(timestamp) }
}
