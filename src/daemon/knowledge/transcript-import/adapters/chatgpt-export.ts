import { isRecord } from '../../../../lib/text/json-of.js'
import { type LeftOut, leaveOut, textOf } from '../../../sessions/transcripts/transcript-message.js'
import type { Conversation, ImportedMessage, ImportedRole, RecordAdapter } from '../forms/adapter.js'
import { elementRecords } from '../forms/elements.js'
import { fieldsOf, type JsonObject, keyOr, RejectedRecord, readJson, timeIn } from '../forms/json-record.js'

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

function conversationIn(record: JsonObject, leftOut: LeftOut): Conversation {
  const { mapping, current_node: current } = record
  if (!isRecord(mapping))
    throw new RejectedRecord('unknown_shape', `a conversation has mapping; seen are ${fieldsOf(record)}`)
  const messages = branchOf(mapping, current, leftOut).flatMap(node => messageIn(node, leftOut))
  return {
    sessionKey: `chatgpt-${keyOr(record.conversation_id ?? record.id, messages)}`,
    harness: 'chatgpt',
    project: null,
    capturedAt: timeIn(record.update_time ?? record.create_time, leftOut),
    messages,
  }
}

/**
 * Returns the branch that the user saw last, from its beginning; other branches were edited or regenerated.
 * Without a last message it ends with the newest one. After a broken link to an earlier message, the newest
 * one of an earlier part continues it.
 */
function branchOf(mapping: JsonObject, current: unknown, leftOut: LeftOut): JsonObject[] {
  const nodes = new Map(
    Object.entries(mapping).filter((entry): entry is [string, JsonObject] => isRecord(entry[1])),
  )
  const branch = new Map<string, JsonObject>()
  let id = typeof current === 'string' && nodes.has(current) ? current : newestEnd(nodes, branch)
  while (id !== undefined) {
    const node = nodes.get(id) as JsonObject
    branch.set(id, node)
    const { parent } = node
    const earlier = isName(parent, nodes) && !branch.has(parent) ? parent : undefined
    const isBroken = parent !== null && parent !== undefined && earlier === undefined
    id = earlier ?? newestEnd(nodes, branch, timeOfNode(node))
    // A second beginning is the end of a broken link too.
    if (isBroken || (earlier === undefined && id !== undefined)) leaveOut(leftOut, 'missing_messages')
  }
  return [...branch.values()].reverse()
}

type Nodes = ReadonlyMap<string, JsonObject>

function isName(parent: unknown, nodes: Nodes): parent is string {
  return typeof parent === 'string' && nodes.has(parent)
}

/**
 * Returns the newest message that no other one continues, of a part that hangs on no message of the branch.
 * @param before only messages not later than this.
 */
function newestEnd(nodes: Nodes, branch: Nodes, before = Number.POSITIVE_INFINITY): string | undefined {
  const continued = new Set([...nodes.values()].map(({ parent }) => parent))
  const isApart = (id: string): boolean => {
    const seen = new Set<unknown>()
    for (let at: unknown = id; isName(at, nodes) && !seen.has(at); at = nodes.get(at)?.parent) {
      if (branch.has(at)) return false
      seen.add(at)
    }
    return true
  }
  const ends = [...nodes]
    .filter(([id, node]) => isRecord(node.message) && timeOfNode(node, 0) <= before && isApart(id))
    // In a circle each message is continued.
    .sort(
      ([a, x], [b, y]) =>
        Number(continued.has(b)) - Number(continued.has(a)) || timeOfNode(x, 0) - timeOfNode(y, 0),
    )
  return ends.at(-1)?.[0]
}

function timeOfNode(node: JsonObject | undefined, missing = Number.POSITIVE_INFINITY): number {
  const time = isRecord(node?.message) ? node.message.create_time : undefined
  return typeof time === 'number' ? time : missing
}

/** Skips nodes without a message and messages without text, such as images. */
function messageIn({ message }: JsonObject, leftOut: LeftOut): ImportedMessage[] {
  if (message === null || message === undefined) return []
  if (!isRecord(message)) {
    leaveOut(leftOut, 'odd_messages')
    return []
  }
  const { metadata } = message
  if (isRecord(metadata) && metadata.is_visually_hidden_from_conversation === true) return []
  const text = textIn(message.content, leftOut)
  if (text === '') return []
  return [{ role: roleIn(message.author), text, at: timeIn(message.create_time, leftOut) }]
}

function roleIn(author: unknown): ImportedRole {
  const name = isRecord(author) ? author.role : author
  return (typeof name === 'string' ? roles[name] : undefined) ?? 'unknown'
}

/** Kinds of content that nobody said: thinking, and texts from the user's settings. */
const silent = /thought|reasoning|context|browsing|system_error/u

/** Parts that are not text point to files of the export. */
function textIn(content: unknown, leftOut: LeftOut): string {
  if (!isRecord(content)) return textOf(content, leftOut)
  const { parts, text, result, content_type: kind } = content
  if (Array.isArray(parts)) return parts.flatMap(part => textOfPart(part, leftOut)).join('\n\n')
  const said = text ?? result
  if (typeof said === 'string') return said
  if (!silent.test(String(kind))) leaveOut(leftOut, 'odd_parts')
  return ''
}

function textOfPart(part: unknown, leftOut: LeftOut): string[] {
  if (typeof part === 'string') return part === '' ? [] : [part]
  if (isRecord(part) && typeof part.text === 'string') return [part.text]
  if (!isRecord(part) || typeof part.content_type !== 'string') leaveOut(leftOut, 'odd_parts')
  return []
}
