import { isRecord } from '../../../../lib/text/json-of.js'
import { type LeftOut, leaveOut, textOf } from '../../../sessions/transcripts/transcript-message.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../forms/adapter.js'
import { elementRecords } from '../forms/elements.js'
import { fieldsOf, type JsonObject, keyOr, RejectedRecord, readJson, timeIn } from '../forms/json-record.js'

/** A data export of claude.ai: `conversations.json`. */
export const claudeExport: RecordAdapter = {
  name: 'claude-export',
  version: 1,
  framing: elementRecords,
  read: bytes => readJson(bytes, conversationIn),
}

const roles: Readonly<Record<string, ImportedRole>> = {
  __proto__: null as never,
  human: 'user',
  assistant: 'assistant',
}

function conversationIn(record: JsonObject, leftOut: LeftOut): Conversation {
  const { chat_messages: said } = record
  if (!Array.isArray(said))
    throw new RejectedRecord(
      'unknown_shape',
      `a conversation has chat_messages; seen are ${fieldsOf(record)}`,
    )
  const messages = said.flatMap(message => messageIn(message, leftOut))
  return {
    sessionKey: `claude-${keyOr(record.uuid, messages)}`,
    harness: 'claude.ai',
    project: null,
    capturedAt: timeIn(record.updated_at ?? record.created_at, leftOut),
    messages,
  }
}

function messageIn(message: unknown, leftOut: LeftOut): ImportedMessage[] {
  if (!isRecord(message)) {
    leaveOut(leftOut, 'odd_messages')
    return []
  }
  const text = [textIn(message, leftOut), ...pastedIn(message, leftOut)]
    .filter(one => one !== '')
    .join('\n\n')
  if (text === '') return []
  const role = (typeof message.sender === 'string' ? roles[message.sender] : undefined) ?? 'unknown'
  return [{ role, text, at: timeIn(message.created_at, leftOut) }]
}

/** Joins the text blocks. Older exports only have a plain text. Tool calls and thinking are skipped. */
function textIn({ text, content }: JsonObject, leftOut: LeftOut): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  if (Array.isArray(content) && blocks.length < content.length) leaveOut(leftOut, 'odd_parts')
  return textOf(blocks, leftOut) || textOf(text, leftOut)
}

/** Texts that the user pasted or attached, under the names of their files. */
function pastedIn({ attachments }: JsonObject, leftOut: LeftOut): string[] {
  if (!Array.isArray(attachments)) return []
  return attachments.flatMap(attachment => {
    const { file_name: name, extracted_content: content } = isRecord(attachment) ? attachment : {}
    if (typeof content !== 'string') leaveOut(leftOut, 'odd_parts')
    if (typeof content !== 'string' || content === '') return []
    return [typeof name === 'string' && name !== '' ? `${name}:\n\n${content}` : content]
  })
}
