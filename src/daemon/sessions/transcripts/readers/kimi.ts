import { isRecord } from '../../../../lib/text/json-of.js'
import { type LeftOut, roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'
import type { Compaction } from './codex.js'

interface KimiLine {
  type?: unknown
  time?: unknown
  message?: { role?: unknown; content?: unknown; origin?: { kind?: unknown } } | null
  summary?: unknown
  contextSummary?: unknown
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

/** The summary of a compaction; undefined for any other line. */
export function compactionOfKimi(line: object): Compaction | undefined {
  const { type, time, summary, contextSummary } = line as KimiLine
  if (type !== 'context.apply_compaction') return undefined
  const told = summary ?? contextSummary
  const text = textOf(isRecord(told) ? told.content : told).trim()
  return { summary: text === '' ? undefined : text, at: timeOf(time) }
}
