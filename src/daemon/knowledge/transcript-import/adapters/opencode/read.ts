import { isRecord } from '../../../../../lib/text/json-of.js'
import {
  isTurn,
  type LeftOut,
  leaveOut,
  roleOf,
  textOf,
  timeOf,
} from '../../../../sessions/transcripts/transcript-message.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  fieldsOf,
  type JsonObject,
  keyOr,
  projectIn,
  RejectedRecord,
  readJson,
} from '../../forms/json-record.js'

/** The output of `opencode export SESSION`: one session, or a list of them. */
export const opencode: RecordAdapter = {
  name: 'opencode',
  version: 1,
  framing: elementRecords,
  read: bytes => readJson(bytes, conversationIn),
}

function conversationIn(record: JsonObject, leftOut: LeftOut): Conversation {
  const { info, messages: said } = record
  if (!isRecord(info) || !Array.isArray(said))
    throw new RejectedRecord('unknown_shape', `a session has info and messages; seen are ${fieldsOf(record)}`)
  const time = isRecord(info.time) ? info.time : {}
  const messages = said.flatMap(message => messageIn(message, leftOut))
  return {
    sessionKey: keyOr(info.id, messages),
    harness: 'opencode',
    project: null,
    cwd: typeof info.directory === 'string' ? projectIn(info.directory || null) : null,
    capturedAt: timeOf(time.updated ?? time.created),
    messages,
  }
}

/** Skips parts that OpenCode itself inserted, which are marked as synthetic. */
function messageIn(message: unknown, leftOut: LeftOut): ImportedMessage[] {
  const { info, parts } = isRecord(message) ? message : {}
  if (!isRecord(info) || !Array.isArray(parts)) {
    leaveOut(leftOut, 'odd_messages')
    return []
  }
  const role = roleOf(info.role)
  // The summary of a compaction was asked for by the program.
  if (role === undefined || !isTurn({ role }) || info.summary === true) return []
  const text = textOf(
    parts.filter(part => !isRecord(part) || (part.synthetic !== true && part.ignored !== true)),
    leftOut,
  )
  if (text.trim() === '') return []
  const time = isRecord(info.time) ? info.time : {}
  return [{ role: role as ImportedRole, text, at: timeOf(time.created) }]
}
