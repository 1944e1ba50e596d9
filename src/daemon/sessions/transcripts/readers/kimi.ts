import { type LeftOut, roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface KimiLine {
  type?: unknown
  time?: unknown
  message?: { role?: unknown; content?: unknown; origin?: { kind?: unknown } } | null
  event?: { type?: unknown; part?: { type?: unknown; text?: unknown } } | null
}

/** True for a line of Kimi Code's `wire.jsonl`. */
export function isKimiLine(line: object): boolean {
  const { type } = line as KimiLine
  return typeof type === 'string' && /^context\.\w+$/u.test(type)
}

/** Returns the message of a line; undefined for tools, and for texts that hooks or the program added. */
export function kimiMessage(line: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { type, time, message, event } = line as KimiLine
  const at = timeOf(time)
  if (type === 'context.append_loop_event') {
    const { part } = event ?? {}
    if (event?.type !== 'content.part' || part?.type !== 'text' || typeof part.text !== 'string')
      return undefined
    return part.text.trim() === '' ? undefined : { role: 'assistant', text: part.text, at }
  }
  if (type !== 'context.append_message' || !message) return undefined
  const { content, origin } = message
  const role = roleOf(message.role)
  const isOfPerson = role !== 'user' || origin?.kind === undefined || origin.kind === 'user'
  if (role === undefined || !isOfPerson) return undefined
  const text = textOf(content, leftOut)
  return text.trim() === '' ? undefined : { role, text, at }
}
