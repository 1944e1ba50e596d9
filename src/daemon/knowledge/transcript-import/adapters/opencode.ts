import { isRecord } from '../../../../lib/text/json-of.js'
import { openCodeMessage } from '../../../sessions/transcripts/readers/opencode.js'
import { type LeftOut, timeOf } from '../../../sessions/transcripts/transcript-message.js'
import { ToolLog } from '../../../sessions/work/tool-log.js'
import type { Conversation, RecordAdapter } from '../forms/adapter.js'
import { elementRecords } from '../forms/elements.js'
import {
  fieldsOf,
  type JsonObject,
  keyOr,
  projectIn,
  RejectedRecord,
  readJson,
} from '../forms/json-record.js'

/** The output of `opencode export SESSION`: one session, or a list of them. */
export const opencode = exportOf('opencode')
/** The same of Kilo Code. */
export const kilo = exportOf('kilo')

function exportOf(name: 'opencode' | 'kilo'): RecordAdapter {
  return {
    name,
    version: 1,
    framing: elementRecords,
    read: bytes => readJson(bytes, (record, leftOut) => conversationIn(name, record, leftOut)),
  }
}

function conversationIn(harness: string, record: JsonObject, leftOut: LeftOut): Conversation {
  const { info, messages: said } = record
  if (!isRecord(info) || !Array.isArray(said))
    throw new RejectedRecord('unknown_shape', `a session has info and messages; seen are ${fieldsOf(record)}`)
  const time = isRecord(info.time) ? info.time : {}
  const cwd = typeof info.directory === 'string' ? projectIn(info.directory || null) : null
  const tools = new ToolLog(cwd ?? undefined)
  const messages = said.flatMap(message => {
    if (isRecord(message)) tools.take(message)
    return openCodeMessage(message, leftOut) ?? []
  })
  return {
    sessionKey: keyOr(info.id, messages),
    harness,
    project: null,
    cwd,
    capturedAt: timeOf(time.updated ?? time.created),
    messages,
    work: tools.turns,
  }
}
