export const transcriptRoles = ['user', 'assistant', 'unknown'] as const
/** Who said something; what tools and systems said is no conversation. */
export type TranscriptRole = (typeof transcriptRoles)[number]

/** One message as it is kept: an import brings also what tools and systems said. */
export interface KeptMessage {
  role: string
  text: string
  /** ISO time; null when the harness noted none. */
  at: string | null
}

/** One turn of a conversation, its text exactly as it came. */
export interface TranscriptMessage extends KeptMessage {
  role: TranscriptRole
}

/** Whether somebody says a message in the conversation itself. */
export function isTurn({ role }: Pick<KeptMessage, 'role'>): boolean {
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

/** @returns undefined for who takes no part in a conversation: tools, systems, notices. */
export function roleOf(word: unknown): TranscriptRole | undefined {
  if (typeof word !== 'string') return 'unknown'
  const known = word.trim().toLowerCase()
  return silent.has(known) ? undefined : (speakers[known] ?? 'unknown')
}

/** True for a word that says who speaks. */
export function isSpeaker(word: unknown): word is string {
  return typeof word === 'string' && word in speakers
}

/** A time as a harness writes it, text or milliseconds, in ISO form. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** The texts of a message's content: a string, or blocks of which only those that hold text count. */
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
