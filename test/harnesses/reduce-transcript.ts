import { conversationOf, seeded, stored, summary, turns } from './scenario.js'

/** Replaces text of others. */
const left = '…'

/** Our own texts, longest first, so that none matches as a part of another. */
const own = [
  ...conversationOf(Object.values(turns)).map(message => message.replace(/^\w+: /u, '')),
  seeded,
  stored,
  summary,
  // Importers recognise generated messages by these texts of Gemini CLI and Codex.
  'Got it. Thanks for the additional context!',
  'Another language model started to solve this problem',
].sort((a, b) => b.length - a.length)

const ownWords = new RegExp(`(${own.map(escaped).join('|')})`, 'u')

const tag = String.raw`(?:<\/?[\w-]+(?:\s[^<>]*)?>|&lt;\/?[\w-]+(?:\s[^<>]*?)?&gt;)`
const tagsAround = new RegExp(`^(\\s*(?:${tag}\\s*)*)([\\s\\S]*?)((?:\\s*${tag})*\\s*)$`, 'u')
/** Ids, times, names and paths. */
const plain = /^[\w.:/+@-]{0,120}$/u

export interface Places {
  /** The temporary home folder, which is replaced with `/home/ada`. */
  home: string
}

/**
 * Reduces a transcript of an agent, line by line (or as one document). It keeps the structure, ids, times,
 * and our own texts. Other texts, such as instructions, reminders and lists of tools, are removed.
 */
export function reduceTranscript(text: string, { home }: Places): string {
  // Some agents write the path without the leading slash.
  const moved = text.replaceAll(home.slice(1), 'home/ada')
  const document = parsed(moved)
  if (document !== undefined) return `${JSON.stringify(reduced(document), null, 2)}\n`
  const lines = moved.split('\n').filter(line => line !== '')
  return lines.map(line => `${JSON.stringify(reduced(JSON.parse(line)))}\n`).join('')
}

function reduced(value: unknown): unknown {
  if (typeof value === 'string') return reducedText(value)
  if (Array.isArray(value)) return reducedList(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reduced(inner)]))
}

/** The first element shows the format of a list without our texts. */
function reducedList(list: readonly unknown[]): unknown[] {
  const isOurs = own.some(words => JSON.stringify(list).includes(JSON.stringify(words).slice(1, -1)))
  return (isOurs ? list : list.slice(0, 1)).map(reduced)
}

function reducedText(text: string): string {
  if (plain.test(text)) return text
  const inner = jsonIn(text)
  if (inner !== undefined) return JSON.stringify(reduced(inner))
  return text
    .split(ownWords)
    .map(piece => (own.includes(piece) ? piece : reducedPiece(piece)))
    .join('')
}

function escaped(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
}

/** Keeps the elements around a text, since importers recognise it by them. */
function reducedPiece(piece: string): string {
  const [, before = '', inside = '', after = ''] = tagsAround.exec(piece) ?? []
  if (inside.trim() === '') return piece
  return `${before}${left}${inside.endsWith(':') ? ':' : ''}${after}`
}

/** Arguments and results of tools are often JSON in a string. */
function jsonIn(text: string): object | undefined {
  return text.startsWith('{') || text.startsWith('[') ? parsed(text) : undefined
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
