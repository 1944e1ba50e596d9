import { overlapOf } from '../continuation.js'
import {
  type LeftOut,
  leaveOut,
  roleOf,
  type TranscriptMessage,
  textOf,
  timeOf,
} from '../transcript-message.js'

interface GeminiRecord {
  id?: unknown
  type?: unknown
  role?: unknown
  timestamp?: unknown
  content?: unknown
  /** Text typed by the user, when the model got more, for example named files. */
  displayContent?: unknown
  sessionId?: unknown
  projectHash?: unknown
  messages?: unknown
  $set?: { messages?: unknown } | null
  $rewindTo?: unknown
}

/**
 * Text that Gemini CLI sends to the model in the user's name, each in its own part. Before a snapshot the
 * model thinks in a scratchpad, and its whole answer is stored.
 */
const injected =
  /^\s*(?:<scratchpad>[\s\S]*?(?=<state_snapshot>))?<(session_context|hook_context|state_snapshot)>[\s\S]*?(?:<\/\1>\s*|$)/u
/** The reply that Gemini CLI inserts for the model after that. */
const acknowledged = /^\s*Got it\. Thanks for the (?:additional )?context!\s*$/u

interface QwenLine {
  timestamp?: unknown
  /** Author of the line: `real_user`, `assistant_output`, `system` and others. */
  provenance?: unknown
  message?: { role?: unknown; parts?: unknown } | null
}

const authors: ReadonlySet<unknown> = new Set(['real_user', 'assistant_output'])

/** True for the first line of a session log, `~/.gemini/tmp/<project>/chats/session-*.jsonl`. */
export function isGeminiHeader(line: object): boolean {
  const { sessionId, projectHash, id } = line as GeminiRecord
  return typeof sessionId === 'string' && typeof projectHash === 'string' && id === undefined
}

/** True for a message in a log or a document of a session. */
export function isGeminiMessage(record: object): boolean {
  const { id, type, role, content } = record as GeminiRecord
  return typeof id === 'string' && typeof type === 'string' && role === undefined && content !== undefined
}

/** Returns the message of a record; undefined for notices, tools and text of the program itself. */
export function geminiMessage(record: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { type, content, displayContent, timestamp } = record as GeminiRecord
  const role = roleOf(type)
  if (role === 'unknown' && typeof type !== 'string') leaveOut(leftOut, 'odd_messages')
  if (role !== 'user' && role !== 'assistant') return undefined
  if (role === 'assistant') return messageOf(role, textOf(partsOf(content), leftOut), timestamp)
  const typed = textOf(partsOf(displayContent).flatMap(withoutInjected))
  return messageOf(role, typed || textOf(partsOf(content).flatMap(withoutInjected), leftOut), timestamp)
}

function messageOf(
  role: TranscriptMessage['role'],
  text: string,
  timestamp: unknown,
): TranscriptMessage | undefined {
  return text.trim() === '' ? undefined : { role, text, at: timeOf(timestamp) }
}

/** A content is a text, a part, or a list of both. */
function partsOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content : content === undefined || content === null ? [] : [content]
}

function withoutInjected(part: unknown): unknown[] {
  const text = textOf([part])
  if (!injected.test(text)) return [part]
  const rest = text.replace(injected, '')
  return rest === '' ? [] : [rest]
}

/** Turns by id, in order; empty turns are included, since a rewind may name them. */
type Turns = Map<unknown, TranscriptMessage | undefined>

/** The log of a session; its turns are certain only at the end. */
export interface GeminiLog {
  take(record: object): void
  messages(): TranscriptMessage[]
}

/**
 * Reads a log record by record. A repeated turn keeps its place and gets its last text; `$rewindTo` removes a
 * turn and all later ones; `$set.messages` replaces the model's history.
 */
export function createGeminiLog(leftOut: LeftOut): GeminiLog {
  let turns: Turns = new Map()
  return {
    take: record => {
      const { id, content, $rewindTo, $set, messages = $set?.messages } = record as GeminiRecord
      if (typeof $rewindTo === 'string') turns = rewound(turns, $rewindTo)
      else if (typeof id === 'string') turns.set(id, geminiMessage(record, leftOut))
      else if (Array.isArray(messages)) turns = replaced(turns, turnsOf(messages, leftOut))
      // A turn that lost its id.
      else if (content !== undefined) turns.set(Symbol('turn'), geminiMessage(record, leftOut))
    },
    messages: () => messagesIn(turns).map(([, message]) => message),
  }
}

/** An unknown turn was in an unreadable line, so nothing is removed. */
function rewound(turns: Turns, id: string): Turns {
  const all = [...turns]
  const at = all.findIndex(([known]) => known === id)
  return at < 0 ? turns : new Map(all.slice(0, at))
}

/**
 * Merges a new history for the model. Turns before the first common one were condensed only for the model, so
 * they stay, and their replacements in the list are dropped.
 */
function replaced(turns: Turns, list: Turns): Turns {
  const known = messagesIn(turns)
  const given = messagesIn(list)
  const shared = given.find(([id]) => turns.get(id))
  const { at, length } = shared ? { at: known.findIndex(([id]) => id === shared[0]), length: 1 } : overlap()
  if (length === 0) return new Map([...turns, ...list])
  if (at === 0) return list
  const first = (shared ?? given[0])?.[0]
  const all = [...turns]
  const kept = all.slice(
    0,
    all.findIndex(([id]) => id === known[at]?.[0]),
  )
  const items = [...list]
  const from = items.findIndex(([id]) => id === first)
  const silent = items.slice(0, from).map(([id]) => [id, undefined] as const)
  return new Map([...kept, ...silent, ...items.slice(from)])

  /** Turns get other ids when a session is resumed or condensed. */
  function overlap(): { at: number; length: number } {
    const texts = (said: typeof known): string[] => said.map(([, { role, text }]) => `${role}\0${text}`)
    return overlapOf(texts(known), texts(given))
  }
}

function turnsOf(list: readonly unknown[], leftOut: LeftOut): Turns {
  const turns: Turns = new Map()
  let afterInjected = false
  for (const record of list) {
    if (typeof record !== 'object' || record === null) {
      leaveOut(leftOut, 'odd_messages')
      continue
    }
    const { id } = record as GeminiRecord
    const message = geminiMessage(record, leftOut)
    const answersInjected = afterInjected && message?.role === 'assistant' && acknowledged.test(message.text)
    turns.set(typeof id === 'string' ? id : Symbol('turn'), answersInjected ? undefined : message)
    afterInjected = message === undefined
  }
  return turns
}

function messagesIn(turns: Turns): [unknown, TranscriptMessage][] {
  return [...turns].filter((turn): turn is [unknown, TranscriptMessage] => turn[1] !== undefined)
}

/** True for a turn in `~/.qwen/projects/<folder>/chats/<session>.jsonl`. */
export function isQwenLine(line: object): boolean {
  const { provenance, message } = line as QwenLine
  return typeof provenance === 'string' && Array.isArray(message?.parts)
}

/** Returns the message of a line without additions of hooks; undefined for results of tools and notices. */
export function qwenMessage(line: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const { timestamp, provenance, message } = line as QwenLine
  const role = roleOf(message?.role)
  if (role === undefined || !authors.has(provenance)) return undefined
  const parts = Array.isArray(message?.parts) ? message.parts : []
  const said = parts.filter(part => !textOf([part]).startsWith('<qwen:'))
  const text = textOf(said, leftOut)
  return text.trim() === '' ? undefined : { role, text, at: timeOf(timestamp) }
}
