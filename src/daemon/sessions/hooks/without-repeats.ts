import { withoutSecrets } from '../../../lib/text/without-secrets.js'

/** Sections of MEMORY.md about earlier sessions. */
const ofSessions = /^(?:Thread Heads|Session Ledger|Open Threads)\b/u
/** Texts with this many equal first characters count as cuts of the same text. */
const fewestAlike = 40
/** Shorter texts are not searched for inside others: they may occur by chance. */
const shortestSentence = 16
/** Labels before an entry's text may contain colons, but not many. */
const maxColons = 6

/**
 * Returns MEMORY.md without entries whose text is already in the context, so that a compaction appears once.
 * @param told the texts as shown; a cut text ends in `…`.
 */
export function withoutRepeats(summary: string, told: readonly string[]): string {
  if (told.length === 0) return summary
  const texts = told.map(text => flat(withoutSecrets(text)))
  return summary
    .split(/^(?=## )/mu)
    .map(section => (ofSessions.test(section.slice(3)) ? withoutEntries(section, texts) : section))
    .join('')
}

function withoutEntries(section: string, told: readonly string[]): string {
  const [heading = '', ...entries] = section.split(/^(?=- )/mu)
  const kept = entries.filter(entry => !isRepeated(flat(entry), told))
  if (kept.length === entries.length) return section
  return kept.length === 0 ? '' : `${heading}${kept.join('').trimEnd()}\n\n`
}

function isRepeated(entry: string, told: readonly string[]): boolean {
  let colon = entry.indexOf(': ')
  for (let n = 0; n < maxColons && colon >= 0; n++) {
    const text = entry.slice(colon + 2)
    if (told.some(one => matches(one, text))) return true
    colon = entry.indexOf(': ', colon + 2)
  }
  return false
}

function matches(told: string, text: string): boolean {
  if (told === text || (text.length >= shortestSentence && told.includes(text))) return true
  return Math.min(told.length, text.length) >= fewestAlike && (told.startsWith(text) || text.startsWith(told))
}

function flat(text: string): string {
  return text.replace(/\s+/gu, ' ').trim().replace(/ ?…$/u, '')
}
