import { isRecord } from '../../../../../lib/text/json-of.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  describeValue,
  fieldsOf,
  type JsonObject,
  keyIn,
  RejectedRecord,
  readJson,
  secondsIn,
} from '../../forms/json-record.js'

/** A data export of ChatGPT: `conversations.json`, or the parts of a large one. */
export const chatgptExport: RecordAdapter = {
  name: 'chatgpt-export',
  version: 1,
  framing: elementRecords,
  read: bytes => readJson(bytes, conversationIn),
}

const roles: Readonly<Record<string, ImportedRole>> = {
  __proto__: null as never,
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
}

/** Limit that detects circular parents; real conversations are never this long. */
const maxTurns = 200_000

function conversationIn(record: JsonObject): Conversation {
  const { mapping, current_node: current } = record
  if (!isRecord(mapping) || typeof current !== 'string')
    throw new RejectedRecord(
      'unknown_shape',
      `a conversation has mapping and current_node; seen are ${fieldsOf(record)}`,
    )
  const messages = branchOf(mapping, current).flatMap(messageIn)
  return {
    sessionKey: `chatgpt-${keyIn(record.conversation_id ?? record.id)}`,
    harness: 'chatgpt',
    project: null,
    capturedAt: secondsIn(record.update_time ?? record.create_time),
    messages,
  }
}

/**
 * Returns the branch that the user saw last, from its beginning; other branches were edited or regenerated.
 */
function branchOf(mapping: JsonObject, current: string): JsonObject[] {
  const branch: JsonObject[] = []
  for (let id: unknown = current; typeof id === 'string'; ) {
    const node = mapping[id]
    if (!isRecord(node))
      throw new RejectedRecord('unknown_shape', `the message ${describeValue(id)} is missing`)
    branch.push(node)
    if (branch.length > maxTurns) throw new RejectedRecord('unknown_shape', 'its messages form a loop')
    id = node.parent
  }
  return branch.reverse()
}

/** Skips nodes without a message and messages without text, such as images. */
function messageIn({ message }: JsonObject): ImportedMessage[] {
  if (message === null || message === undefined) return []
  if (!isRecord(message))
    throw new RejectedRecord('invalid_message', `a message is ${describeValue(message)}`)
  const text = textIn(message.content)
  const { metadata } = message
  if (text === '' || (isRecord(metadata) && metadata.is_visually_hidden_from_conversation === true)) return []
  return [{ role: roleIn(message.author), text, at: secondsIn(message.create_time) }]
}

function roleIn(author: unknown): ImportedRole {
  const name = isRecord(author) ? author.role : undefined
  const role = typeof name === 'string' ? roles[name] : undefined
  if (!role) throw new RejectedRecord('unknown_role', `a message is by ${describeValue(name)}`)
  return role
}

/** Parts that are not text point to files of the export. */
function textIn(content: unknown): string {
  if (!isRecord(content))
    throw new RejectedRecord('invalid_message', `a content is ${describeValue(content)}`)
  const { parts, text, result } = content
  if (Array.isArray(parts)) return parts.flatMap(textOfPart).join('\n\n')
  const said = text ?? result
  return typeof said === 'string' ? said : ''
}

function textOfPart(part: unknown): string[] {
  if (typeof part === 'string') return part === '' ? [] : [part]
  return isRecord(part) && typeof part.text === 'string' ? [part.text] : []
}
