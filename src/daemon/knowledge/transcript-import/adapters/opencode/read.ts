import { isRecord } from '../../../../../lib/text/json-of.js'
import { isTurn, roleOf, textOf, timeOf } from '../../../../sessions/transcripts/transcript-message.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  describeValue,
  fieldsOf,
  type JsonObject,
  keyIn,
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

function conversationIn(record: JsonObject): Conversation {
  const { info, messages } = record
  if (!isRecord(info) || !Array.isArray(messages))
    throw new RejectedRecord('unknown_shape', `a session has info and messages; seen are ${fieldsOf(record)}`)
  const time = isRecord(info.time) ? info.time : {}
  return {
    sessionKey: keyIn(info.id),
    harness: 'opencode',
    project: null,
    cwd: projectIn(info.directory),
    capturedAt: timeOf(time.updated ?? time.created),
    messages: messages.flatMap(messageIn),
  }
}

/** Skips parts that OpenCode itself inserted, which are marked as synthetic. */
function messageIn(message: unknown): ImportedMessage[] {
  const { info, parts } = isRecord(message) ? message : {}
  if (!isRecord(info) || !Array.isArray(parts))
    throw new RejectedRecord(
      'invalid_message',
      `a message is ${describeValue(message)} without info and parts`,
    )
  const role = roleOf(info.role)
  const text = textOf(
    parts.filter(part => isRecord(part) && part.synthetic !== true && part.ignored !== true),
  )
  if (role === undefined || !isTurn({ role }) || text.trim() === '') return []
  const time = isRecord(info.time) ? info.time : {}
  return [{ role: role as ImportedRole, text, at: timeOf(time.created) }]
}
