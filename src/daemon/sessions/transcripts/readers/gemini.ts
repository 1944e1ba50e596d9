import { overlapOf } from '../continuation.js'
import { roleOf, type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface GeminiRecord {
  id?: unknown
  type?: unknown
  role?: unknown
  timestamp?: unknown
  content?: unknown
  /** What the user typed, where the model was given more: files that were named in it, for example. */
  displayContent?: unknown
  sessionId?: unknown
  projectHash?: unknown
  messages?: unknown
  $set?: { messages?: unknown } | null
  $rewindTo?: unknown
}

/**
 * What Gemini CLI itself puts in front of the model in the user's name: each in a part of its own. The model is told to
 * think in a scratchpad before a snapshot, and all of its answer is kept as that.
 */
const injected =
  /^\s*(?:<scratchpad>[\s\S]*?(?=<state_snapshot>))?<(session_context|hook_context|state_snapshot)>[\s\S]*?(?:<\/\1>\s*|$)/u
/** What it puts in the model's mouth after that. */
const acknowledged = /^\s*Got it\. Thanks for the (?:additional )?context!\s*$/u

/** True for the line that a log of a session begins with, `~/.gemini/tmp/<project>/chats/session-*.jsonl`. */
export function isGeminiHeader(line: object): boolean {
  const { sessionId, projectHash, id } = line as GeminiRecord
  return typeof sessionId === 'string' && typeof projectHash === 'string' && id === undefined
}

/** True for a message as it stands in a log or a document of a session. */
export function isGeminiMessage(record: object): boolean {
  const { id, type, role, content } = record as GeminiRecord
  return typeof id === 'string' && typeof type === 'string' && role === undefined && content !== undefined
}

/** What a message says in the conversation; undefined for notices, tools and what the program wrote itself. */
export function geminiMessage(record: object): TranscriptMessage | undefined {
  const { type, content, displayContent, timestamp } = record as GeminiRecord
  const role = roleOf(type)
  if (role !== 'user' && role !== 'assistant') return undefined
  if (role === 'assistant') return messageOf(role, textOf(partsOf(content)), timestamp)
  const typed = textOf(partsOf(displayContent).flatMap(withoutInjected))
  return messageOf(role, typed || textOf(partsOf(content).flatMap(withoutInjected)), timestamp)
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
  return Array.isArray(content) ? content : [content]
}

function withoutInjected(part: unknown): unknown[] {
  const text = textOf([part])
  if (!injected.test(text)) return [part]
  const rest = text.replace(injected, '')
  return rest === '' ? [] : [rest]
}

/** Turns by their ids, in their order; those that say nothing stand too, since a rewind may name them. */
type Turns = Map<unknown, TranscriptMessage | undefined>

/** The log of a session, of which only its end tells what remains. */
export interface GeminiLog {
  take(record: object): void
  messages(): TranscriptMessage[]
}

/**
 * Reads a log record by record. A turn that is written again keeps its place and takes its last text; `$rewindTo` takes
 * a turn and all after it back; `$set.messages` is what the model is given from now on.
 */
export function createGeminiLog(): GeminiLog {
  let turns: Turns = new Map()
  return {
    take: record => {
      const { id, $rewindTo, $set, messages = $set?.messages } = record as GeminiRecord
      if (typeof $rewindTo === 'string') turns = rewound(turns, $rewindTo)
      else if (typeof id === 'string') turns.set(id, geminiMessage(record))
      else if (Array.isArray(messages)) turns = replaced(turns, turnsOf(messages))
    },
    messages: () => saidIn(turns).map(([, message]) => message),
  }
}

/** A turn that nobody knows was in a line that could not be read: nothing is lost for it. */
function rewound(turns: Turns, id: string): Turns {
  const all = [...turns]
  const at = all.findIndex(([known]) => known === id)
  return at < 0 ? turns : new Map(all.slice(0, at))
}

/**
 * The turns after the model was given a new list. What stood before the first turn that both have was condensed for
 * the model but said all the same: it stays, and what stands for it in the list was not said.
 */
function replaced(turns: Turns, list: Turns): Turns {
  const known = saidIn(turns)
  const given = saidIn(list)
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

  /** The same turns have other ids after a session was resumed or condensed. */
  function overlap(): { at: number; length: number } {
    const texts = (said: typeof known): string[] => said.map(([, { role, text }]) => `${role}\0${text}`)
    return overlapOf(texts(known), texts(given))
  }
}

function turnsOf(list: readonly unknown[]): Turns {
  const turns: Turns = new Map()
  let afterInjected = false
  for (const record of list) {
    if (typeof record !== 'object' || record === null) continue
    const { id } = record as GeminiRecord
    const message = geminiMessage(record)
    const answersInjected = afterInjected && message?.role === 'assistant' && acknowledged.test(message.text)
    turns.set(typeof id === 'string' ? id : Symbol('turn'), answersInjected ? undefined : message)
    afterInjected = message === undefined
  }
  return turns
}

function saidIn(turns: Turns): [unknown, TranscriptMessage][] {
  return [...turns].filter((turn): turn is [unknown, TranscriptMessage] => turn[1] !== undefined)
}
