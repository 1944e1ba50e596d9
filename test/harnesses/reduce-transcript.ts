import { conversationOf, seeded, stored, summary, turns } from './scenario.js'

/** What stands for words of others. */
const left = '…'

/** Our own words, longest first, so that none is taken for a part of another. */
const own = [
  ...conversationOf(Object.values(turns)).map(message => message.replace(/^\w+: /u, '')),
  seeded,
  stored,
  summary,
  // By these words of Gemini CLI and of Codex readers know what nobody said.
  'Got it. Thanks for the additional context!',
  'Another language model started to solve this problem',
].sort((a, b) => b.length - a.length)

const ownWords = new RegExp(`(${own.map(escaped).join('|')})`, 'u')

const tag = String.raw`(?:<\/?[\w-]+(?:\s[^<>]*)?>|&lt;\/?[\w-]+(?:\s[^<>]*?)?&gt;)`
const tagsAround = new RegExp(`^(\\s*(?:${tag}\\s*)*)([\\s\\S]*?)((?:\\s*${tag})*\\s*)$`, 'u')
/** Ids, times, names and paths. */
const plain = /^[\w.:/+@-]{0,120}$/u

export interface Places {
  /** The temporary home folder, which stands as `/home/ada`. */
  home: string
}

/**
 * A transcript as an agent wrote it, line by line (or as one document), with its structure, its ids and times, and our
 * own words. Whatever else is written in it, such as instructions, reminders and lists of tools, is left out.
 */
export function reduceTranscript(text: string, { home }: Places): string {
  // Some write it without the slash in front.
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

/** Of a list that holds nothing of ours, its first element shows what it is made of. */
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

/** The elements that others put around a text are how a reader knows it. */
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
