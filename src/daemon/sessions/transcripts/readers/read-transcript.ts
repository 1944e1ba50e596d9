import { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import {
  isSpeaker,
  type LeftOut,
  leaveOut,
  roleOf,
  type TranscriptMessage,
  textOf,
  timeOf,
} from '../transcript-message.js'
import { antigravityMessage, isAntigravityLine } from './antigravity.js'
import { claudeMessage, isClaudeLine, isOfClaude } from './claude-code.js'
import { spokenContent } from './cline.js'
import { createCodexLog, isCodexLine } from './codex.js'
import { copilotMessage, isCopilotEvent } from './copilot.js'
import {
  createGeminiLog,
  type GeminiLog,
  geminiMessage,
  isGeminiHeader,
  isGeminiMessage,
  isQwenLine,
  qwenMessage,
} from './gemini.js'
import { createGrokLog, isGrokLine } from './grok.js'
import { isKimiLine, kimiMessage } from './kimi.js'
import { createPiLog, isPiHeader, type PiLog } from './pi.js'
import { plainMessages } from './plain.js'
import { withoutPictures } from './without-pictures.js'

/** Enough text to detect the format. */
const headLength = 256 * 1024

/**
 * Reads the conversation of a transcript in any known format: lines of a coding agent (`readers` has one file
 * for each), of pi or of this service (`{ role, text | content, at? }`), a log or document of Gemini, or text
 * of the form `role: ...`. The format is detected from the content. Unknown records and messages of tools,
 * systems and sub-agents are left out. Reads in slices that don't block the event loop.
 * @param budget shared with other readers.
 * @param leftOut counts what could not be read.
 * @param isLog true if a program wrote it: then nothing is read as `role: ...`, however its lines begin.
 * @param onObject is given every line of a log, and every message of a document.
 */
export async function* readTranscript(
  pieces: AsyncIterable<string>,
  budget = new LoopBudget(),
  leftOut: LeftOut = {},
  isLog = false,
  onObject?: (value: object) => void,
): AsyncGenerator<TranscriptMessage> {
  const { head, all: whole } = await peek(inSlices(pieces, budget))
  const found = formatOf(head)
  const format = isLog && found === 'plain' ? 'lines' : found
  const all = format === 'plain' ? whole : withoutPictures(whole)
  if (format === 'plain') {
    yield* plainMessages(inSlices(textLines(all, leftOut), budget))
    return
  }
  const texts = format === 'document' ? jsonElements(all, leftOut) : textLines(all, leftOut)
  yield* messagesOf(inSlices(texts, budget), leftOut, onObject)
}

export type TranscriptFormat = 'lines' | 'document' | 'plain'

/** @param head the beginning of a text, or all of it. */
export function formatOf(head: string): TranscriptFormat {
  const text = head.trimStart()
  if (text.startsWith('[')) return /^\[\s*[{\]]/u.test(text) ? 'document' : 'plain'
  if (!text.startsWith('{')) return 'plain'
  const newline = text.indexOf('\n')
  const first = parseObject(newline < 0 ? text : text.slice(0, newline))
  if (first) {
    const isHeader = newline >= 0 && isGeminiHeader(first) && text.slice(newline).trimStart().startsWith('{')
    return Array.isArray((first as { messages?: unknown }).messages) && !isHeader ? 'document' : 'lines'
  }
  // A line longer than the head, a document over several lines, or text that begins with a brace.
  if (/"messages"\s*:\s*\[/u.test(text)) return 'document'
  return /^\{\s*"/u.test(text) && (newline < 0 || /\}[^\S\n]*\n\s*\{/u.test(text)) ? 'lines' : 'plain'
}

async function peek(pieces: AsyncIterable<string>): Promise<{ head: string; all: AsyncGenerator<string> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  let head = ''
  while (head.length < headLength) {
    const { value, done } = await iterator.next()
    if (done) break
    head += value
  }
  const all = async function* (): AsyncGenerator<string> {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { head, all: all() }
}

async function* inSlices(texts: AsyncIterable<string>, budget: LoopBudget): AsyncGenerator<string> {
  for await (const text of texts) {
    yield text
    await budget.breathe()
  }
}

/**
 * Gemini's turns, pi's branch and the choice of Codex's log are certain only at the end.
 * In a file of Claude Code only
 * turns count: other lines, also of future versions, may contain messages that are not part of the
 * conversation.
 */
async function* messagesOf(
  lines: AsyncIterable<string>,
  leftOut: LeftOut,
  onObject?: (value: object) => void,
): AsyncGenerator<TranscriptMessage> {
  const codex = createCodexLog(leftOut)
  const grok = createGrokLog()
  let log: GeminiLog | undefined
  let tree: PiLog | undefined
  let isClaudes = false
  const seen = new Set<unknown>()
  for await (const value of objectsIn(lines, leftOut)) {
    onObject?.(value)
    if (isDoubled(value, seen)) continue
    if (isGeminiHeader(value)) log ??= createGeminiLog(leftOut)
    else isClaudes ||= log === undefined && isOfClaude(value)
    if (isClaudes && !isClaudeLine(value)) {
      noteUntyped(value, leftOut)
      continue
    }
    if (isPiHeader(value)) tree ??= createPiLog()
    else if (log) log.take(value)
    else if (tree) tree.take(value, messageIn(value, leftOut))
    else {
      const message = isGrokLine(value)
        ? grok.take(value)
        : isCodexLine(value)
          ? codex.take(value)
          : messageIn(value, leftOut)
      if (message) yield message
    }
  }
  yield* log?.messages() ?? tree?.messages() ?? []
  yield* codex.rest()
  yield* grok.rest()
}

/** Yields the object of each line; two processes that write at once put two of them into one line. */
async function* objectsIn(lines: AsyncIterable<string>, leftOut: LeftOut): AsyncGenerator<object> {
  for await (const line of lines) {
    const value = parseObject(line)
    if (value) yield value
    else if (line.includes('}{')) {
      const glued = async function* (): AsyncGenerator<string> {
        yield `[${line}]`
      }
      for await (const element of jsonElements(glued(), leftOut)) {
        const one = parseObject(element)
        if (one) yield one
        else leaveOut(leftOut, 'unreadable_lines')
      }
    } else if (line.trim() !== '') leaveOut(leftOut, 'unreadable_lines')
  }
}

/** Claude Code writes some lines twice, under the same id. */
function isDoubled(value: object, seen: Set<unknown>): boolean {
  const { uuid, parentUuid } = value as { uuid?: unknown; parentUuid?: unknown }
  if (typeof uuid !== 'string' || parentUuid === undefined) return false
  return seen.size === seen.add(uuid).size
}

function messageIn(value: object, leftOut: LeftOut): TranscriptMessage | undefined {
  // Its lines have the fields of Claude Code's too.
  if (isQwenLine(value)) return qwenMessage(value, leftOut)
  if (isClaudeLine(value)) return claudeMessage(value, leftOut)
  if (isKimiLine(value)) return kimiMessage(value, leftOut)
  if (isCopilotEvent(value)) return copilotMessage(value, leftOut)
  if (isAntigravityLine(value)) return antigravityMessage(value)
  return isGeminiMessage(value) ? geminiMessage(value, leftOut) : plainObject(value, leftOut)
}

/**
 * Lines of this service, of pi (`{ type: "message", message }`), of Cline and of Cursor (`{ role, message: {
 * content } }`).
 */
export function plainObject(value: object, leftOut: LeftOut): TranscriptMessage | undefined {
  const {
    type: outerType,
    message,
    timestamp,
    isSidechain,
    role: outerRole,
  } = value as Record<string, unknown>
  if (isSidechain === true) return undefined
  const isWrapped = typeof message === 'object' && message !== null
  // A line of another type only contains a message.
  if (isWrapped && typeof outerType === 'string' && outerType !== 'message') return undefined
  const inner = (isWrapped ? message : value) as Record<string, unknown>
  const { type, role = isSpeaker(type) ? type : outerRole, text, content, parts, at, ts, created_at } = inner
  if (role === undefined) noteUntyped(value, leftOut)
  if (role === undefined) return undefined
  const who = roleOf(role)
  if (who === undefined) return undefined
  const told = [text, content, parts, isWrapped ? undefined : message]
  const words = who === 'user' ? told.map(spokenContent) : told
  const said = words.map(one => textOf(one, leftOut)).find(one => one.trim() !== '')
  if (said === undefined) return undefined
  return { role: who, text: said, at: timeOf(at ?? inner.timestamp ?? ts ?? timestamp ?? created_at) }
}

/** Counts a line without the name of a type; other names are records of other kinds. */
function noteUntyped(value: object, leftOut: LeftOut): void {
  if (typeof (value as { type?: unknown }).type !== 'string') leaveOut(leftOut, 'odd_messages')
}

function parseObject(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  // The last line of a file that is being written is often incomplete.
  const value = jsonOf(text)
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Maximum length of a line or an element in UTF-16 units; longer ones would block the event loop. */
const maxLineLength = 8 * 1024 * 1024

/**
 * Yields the lines of a streamed text without line breaks. Too long lines are skipped and never held
 * completely; the last line needs no line break.
 */
async function* textLines(pieces: AsyncIterable<string>, leftOut: LeftOut): AsyncGenerator<string> {
  let line = ''
  let tooLong = false
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
      line += piece.slice(from, at)
      if (tooLong || line.length > maxLineLength) leaveOut(leftOut, 'long_lines')
      else yield line.endsWith('\r') ? line.slice(0, -1) : line
      line = ''
      tooLong = false
      from = at + 1
    }
    line += piece.slice(from)
    if (line.length <= maxLineLength) continue
    tooLong = true
    line = ''
  }
  if (tooLong) leaveOut(leftOut, 'long_lines')
  else if (line !== '') yield line
}

/**
 * Yields the objects of lists in a streamed JSON document: of the outermost list, or of lists in fields of
 * the outermost object. It holds only one element, so documents of any size can be read; a truncated element
 * is skipped.
 */
async function* jsonElements(pieces: AsyncIterable<string>, leftOut: LeftOut): AsyncGenerator<string> {
  const open: string[] = []
  const state = { inString: false, escaped: false, element: '', collecting: 0, dropped: false }
  const between = { text: '', isSaid: false }
  for await (const piece of pieces) {
    let from = 0
    for (let at = nextSign(piece, 0, state); at < piece.length; at = nextSign(piece, at + 1, state)) {
      const sign = piece[at] as string
      if (state.collecting === 0) {
        noteBetween(between, { text: piece.slice(from, at), sign, open }, leftOut)
        from = at + 1
      }
      if (sign === '{' || sign === '[') {
        if (sign === '{' && state.collecting === 0 && isList(open)) {
          state.collecting = open.length + 1
          from = at
        }
        open.push(sign)
      } else {
        open.pop()
        if (state.collecting !== open.length + 1) continue
        state.element += piece.slice(from, at + 1)
        from = at + 1
        if (state.dropped || state.element.length > maxLineLength) leaveOut(leftOut, 'long_lines')
        else yield state.element
        Object.assign(state, { element: '', collecting: 0, dropped: false })
      }
    }
    if (state.collecting === 0) between.text = (between.text + piece.slice(from)).slice(-maxBetween)
    else state.element += piece.slice(from)
    if (state.element.length > maxLineLength) Object.assign(state, { element: '', dropped: true })
  }
  if (state.collecting > 0) leaveOut(leftOut, state.dropped ? 'long_lines' : 'unreadable_lines')
}

const maxBetween = 64 * 1024

/** Counts what is in the list of messages beside objects: texts, numbers, other lists. */
function noteBetween(
  between: { text: string; isSaid: boolean },
  { text, sign, open }: { text: string; sign: string; open: readonly string[] },
  leftOut: LeftOut,
): void {
  const before = between.text + text
  between.text = ''
  if (isList(open) && between.isSaid) {
    const others = before.split(',').filter(one => one.trim() !== '').length + (sign === '[' ? 1 : 0)
    if (others > 0) leaveOut(leftOut, 'odd_messages', others)
  } else if (sign === '[' && open.length < 2)
    between.isSaid = open.length === 0 || /"messages"\s*:\s*$/u.test(before)
}

function isList(open: readonly string[]): boolean {
  return open.at(-1) === '[' && (open.length === 1 || (open.length === 2 && open[0] === '{'))
}

/** Returns the index of the next bracket outside strings, or the length of the slice. */
function nextSign(piece: string, from: number, state: { inString: boolean; escaped: boolean }): number {
  for (let at = from; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    if (state.escaped) state.escaped = false
    else if (state.inString) {
      if (code === 0x5c) state.escaped = true
      else if (code === 0x22) state.inString = false
    } else if (code === 0x22) state.inString = true
    else if (code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d) return at
  }
  return piece.length
}
