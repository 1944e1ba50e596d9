import { isRecord } from '../../../../../lib/text/json-of.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  describeValue,
  fieldsOf,
  instantIn,
  type JsonObject,
  keyIn,
  RejectedRecord,
  readJson,
} from '../../forms/json-record.js'

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

function conversationIn(record: JsonObject): Conversation {
  const { chat_messages: messages } = record
  if (!Array.isArray(messages))
    throw new RejectedRecord(
      'unknown_shape',
      `a conversation has chat_messages; seen are ${fieldsOf(record)}`,
    )
  return {
    sessionKey: `claude-${keyIn(record.uuid)}`,
    harness: 'claude.ai',
    project: null,
    capturedAt: instantIn(record.updated_at ?? record.created_at),
    messages: messages.flatMap(messageIn),
  }
}

function messageIn(message: unknown): ImportedMessage[] {
  if (!isRecord(message))
    throw new RejectedRecord('invalid_message', `a message is ${describeValue(message)}`)
  const text = textIn(message)
  if (text === '') return []
  const role = typeof message.sender === 'string' ? roles[message.sender] : undefined
  if (!role) throw new RejectedRecord('unknown_role', `a message is by ${describeValue(message.sender)}`)
  return [{ role, text, at: instantIn(message.created_at) }]
}

/** Joins the text blocks. Older exports only have a plain text. Tool calls and thinking are skipped. */
function textIn({ text, content }: JsonObject): string {
  if (Array.isArray(content)) {
    const blocks = content.filter(isRecord).filter(({ type }) => type === 'text')
    if (blocks.length > 0)
      return blocks.flatMap(block => (typeof block.text === 'string' ? [block.text] : [])).join('\n\n')
  }
  if (text === undefined || text === null) return ''
  if (typeof text !== 'string')
    throw new RejectedRecord('invalid_message', `the text of a message is ${describeValue(text)}`)
  return text
}
