import { isRecord } from '../../../../../lib/text/is-record.js'
import { isTurn, roleOf, textOf, timeOf } from '../../../../sessions/transcripts/transcript-message.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  fieldsOf,
  type JsonObject,
  keyIn,
  projectIn,
  Rejected,
  readJson,
  seen,
} from '../../forms/json-record.js'

/** What `opencode export SESSION` writes: one session, or a list of them. */
export const opencode: RecordAdapter = {
  name: 'opencode',
  version: 1,
  framing: elementRecords,
  read: bytes => readJson(bytes, conversationIn),
}

function conversationIn(record: JsonObject): Conversation {
  const { info, messages } = record
  if (!isRecord(info) || !Array.isArray(messages))
    throw new Rejected('unknown_shape', `a session has info and messages; seen are ${fieldsOf(record)}`)
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

/** What OpenCode itself put in is marked as synthetic. */
function messageIn(message: unknown): ImportedMessage[] {
  const { info, parts } = isRecord(message) ? message : {}
  if (!isRecord(info) || !Array.isArray(parts))
    throw new Rejected('invalid_message', `a message is ${seen(message)} without info and parts`)
  const role = roleOf(info.role)
  const text = textOf(
    parts.filter(part => isRecord(part) && part.synthetic !== true && part.ignored !== true),
  )
  if (role === undefined || !isTurn({ role }) || text.trim() === '') return []
  const time = isRecord(info.time) ? info.time : {}
  return [{ role: role as ImportedRole, text, at: timeOf(time.created) }]
}
