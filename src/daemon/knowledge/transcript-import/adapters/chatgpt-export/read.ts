import { isRecord } from '../../../../../lib/text/is-record.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../../forms/adapter.js'
import { elementRecords } from '../../forms/elements.js'
import {
  fieldsOf,
  type JsonObject,
  keyIn,
  Rejected,
  readJson,
  secondsIn,
  seen,
} from '../../forms/json-record.js'

/** A data export of ChatGPT: `conversations.json`, or the parts that a large one is split into. */
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

/** Deeper conversations than this are none: a circle of parents would have no end. */
const maxTurns = 200_000

function conversationIn(record: JsonObject): Conversation {
  const { mapping, current_node: current } = record
  if (!isRecord(mapping) || typeof current !== 'string')
    throw new Rejected(
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

/** The branch that the user saw last, from its beginning: other ones were edited or asked anew. */
function branchOf(mapping: JsonObject, current: string): JsonObject[] {
  const branch: JsonObject[] = []
  for (let id: unknown = current; typeof id === 'string'; ) {
    const node = mapping[id]
    if (!isRecord(node)) throw new Rejected('unknown_shape', `the message ${seen(id)} is missing`)
    branch.push(node)
    if (branch.length > maxTurns) throw new Rejected('unknown_shape', 'its messages go round in a circle')
    id = node.parent
  }
  return branch.reverse()
}

/** Nodes without a message, and messages without a text, such as images, say nothing. */
function messageIn({ message }: JsonObject): ImportedMessage[] {
  if (message === null || message === undefined) return []
  if (!isRecord(message)) throw new Rejected('invalid_message', `a message is ${seen(message)}`)
  const text = textIn(message.content)
  const { metadata } = message
  if (text === '' || (isRecord(metadata) && metadata.is_visually_hidden_from_conversation === true)) return []
  return [{ role: roleIn(message.author), text, at: secondsIn(message.create_time) }]
}

function roleIn(author: unknown): ImportedRole {
  const name = isRecord(author) ? author.role : undefined
  const role = typeof name === 'string' ? roles[name] : undefined
  if (!role) throw new Rejected('unknown_role', `a message is by ${seen(name)}`)
  return role
}

/** Parts that are no text are pointers to files of the export. */
function textIn(content: unknown): string {
  if (!isRecord(content)) throw new Rejected('invalid_message', `a content is ${seen(content)}`)
  const { parts, text, result } = content
  if (Array.isArray(parts)) return parts.flatMap(textOfPart).join('\n\n')
  const said = text ?? result
  return typeof said === 'string' ? said : ''
}

function textOfPart(part: unknown): string[] {
  if (typeof part === 'string') return part === '' ? [] : [part]
  return isRecord(part) && typeof part.text === 'string' ? [part.text] : []
}
