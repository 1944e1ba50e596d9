import type { LeftOutKind } from '../../../contract/sessions/transcripts.js'

export const transcriptRoles = ['user', 'assistant', 'unknown'] as const
/** Speakers of a conversation; tools and systems are not included. */
export type TranscriptRole = (typeof transcriptRoles)[number]

/** A captured message; imports also contain messages of tools and systems. */
export interface CapturedMessage {
  role: string
  text: string
  /** ISO time; null when the harness recorded none. */
  at: string | null
}

/** One turn of a conversation with its unchanged text. */
export interface TranscriptMessage extends CapturedMessage {
  role: TranscriptRole
}

/** True for a message of a speaker, not of a tool or system. */
export function isTurn({ role }: Pick<CapturedMessage, 'role'>): boolean {
  return (transcriptRoles as readonly string[]).includes(role)
}

const speakers: Readonly<Record<string, TranscriptRole>> = {
  __proto__: null as never,
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  gemini: 'assistant',
}
const silent = new Set(['system', 'developer', 'tool', 'toolresult', 'function', 'info', 'error', 'warning'])

/** @returns undefined for roles outside the conversation: tools, systems, notices. */
export function roleOf(word: unknown): TranscriptRole | undefined {
  if (typeof word !== 'string') return 'unknown'
  const known = word.trim().toLowerCase()
  return silent.has(known) ? undefined : (speakers[known] ?? 'unknown')
}

/** True for a word that names a speaker. */
export function isSpeaker(word: unknown): word is string {
  return typeof word === 'string' && word in speakers
}

/** Converts a harness's time, text or milliseconds, to ISO form. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Counts of what a reader left out, by kind. */
export type LeftOut = Partial<Record<LeftOutKind, number>>

/** Adds to the counts of what was left out. */
export function leaveOut(counts: LeftOut, kind: LeftOutKind, count = 1): void {
  counts[kind] = (counts[kind] ?? 0) + count
}

/** Adds counts to counts. */
export function addLeftOut(counts: LeftOut, more: LeftOut = {}): void {
  for (const [kind, count] of Object.entries(more)) leaveOut(counts, kind as LeftOutKind, count)
}

/**
 * The text of a message's content: a string, a part, or the text parts of a list.
 * @param leftOut counts parts of an unknown kind.
 */
export function textOf(content: unknown, leftOut: LeftOut = {}): string {
  if (Array.isArray(content)) return content.flatMap(part => textOfPart(part, leftOut)).join('\n\n')
  return content === undefined || content === null ? '' : textOfPart(content, leftOut).join('')
}

const textParts = new Set([undefined, 'text', 'input_text', 'output_text'])
/** Kinds of parts that are not said: tools, thinking, pictures and files, marks of a step. */
const silentParts =
  /tool|function|thinking|reasoning|image|audio|video|media|file|document|step|snapshot|patch|agent|retry|compaction|citation/iu
/** Fields of parts without a type that are not said either. */
const silentFields = [
  'thought',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
]

function textOfPart(part: unknown, leftOut: LeftOut): string[] {
  if (typeof part === 'string') return [part]
  if (typeof part === 'number' || typeof part === 'boolean') return [String(part)]
  const { type, text, thought } = (part ?? {}) as { type?: unknown; text?: unknown; thought?: unknown }
  if (typeof text === 'string' && thought !== true && textParts.has(type as undefined)) return [text]
  const isSilent =
    typeof type === 'string' ? silentParts.test(type) : silentFields.some(field => field in Object(part))
  if (!isSilent) leaveOut(leftOut, 'odd_parts')
  return []
}
