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

/** The text of a message's content: a string, or the text blocks of a list. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap(textOfBlock).join('\n\n')
}

const textBlocks = new Set([undefined, 'text', 'input_text', 'output_text'])

function textOfBlock(block: unknown): string[] {
  if (typeof block === 'string') return [block]
  const { type, text, thought } = (block ?? {}) as { type?: unknown; text?: unknown; thought?: unknown }
  return typeof text === 'string' && thought !== true && textBlocks.has(type as undefined) ? [text] : []
}
