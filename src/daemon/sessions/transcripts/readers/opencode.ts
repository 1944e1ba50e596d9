import { isRecord } from '../../../../lib/text/json-of.js'
import {
  isTurn,
  type LeftOut,
  leaveOut,
  roleOf,
  type TranscriptMessage,
  textOf,
  timeOf,
} from '../transcript-message.js'

/** True for a message of OpenCode's exports. */
export function isOpenCodeMessage(message: unknown): message is { info: Fields; parts: unknown[] } {
  return isRecord(message) && isRecord(message.info) && Array.isArray(message.parts)
}

type Fields = Readonly<Record<string, unknown>>

/** Returns a message; skips parts that OpenCode itself inserted, which are marked as synthetic. */
export function openCodeMessage(message: unknown, leftOut: LeftOut): TranscriptMessage | undefined {
  if (!isOpenCodeMessage(message)) {
    leaveOut(leftOut, 'odd_messages')
    return undefined
  }
  const { info, parts } = message
  const role = roleOf(info.role)
  // The summary of a compaction was asked for by the program.
  if (role === undefined || !isTurn({ role }) || info.summary === true) return undefined
  const text = textOf(
    parts.filter(part => !isRecord(part) || (part.synthetic !== true && part.ignored !== true)),
    leftOut,
  )
  const time = isRecord(info.time) ? info.time : {}
  return text.trim() === '' ? undefined : { role, text, at: timeOf(time.created) }
}
