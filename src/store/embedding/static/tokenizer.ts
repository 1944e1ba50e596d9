import type { Units } from './units.js'

/** The units of a text, and how many of its words the vocabulary knows. */
export interface Tokens {
  ids: number[]
  /** Words with a letter. */
  words: number
  /** Of these, the ones that only pieces of a few letters could spell. */
  unknown: number
}

export interface Tokenizer {
  tokens(text: string): Tokens
}

interface Spelled {
  ids: readonly number[]
  known: boolean
}

/** The unit that every number of three or more digits is, unless it is a word of the vocabulary. */
export const numberUnit = '#number'
/** Begins the units that spell unknown words. */
export const pieceMark = '#'

const longestWord = 59
const longestSpelled = 30
const longestPart = 14
const mostPieces = 8
const cachedWords = 20_000

// Endings that are cut off or replaced where the rest is a word; at least four letters stay.
const endings = [
  ['ies', 'y'],
  ['s', ''],
  ['es', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
  ['ers', ''],
  ['er', ''],
  ['er', 'e'],
  ['ly', ''],
  ['ness', ''],
  ['able', ''],
  ['able', 'e'],
  ['ment', ''],
] as const

/**
 * Cuts texts into the units of a vocabulary. Whoever trains a model and whoever uses it take this one: vectors of units cut
 * otherwise are worth nothing.
 * @param units words in lower case, pieces behind a `#`; the number of a unit is its place
 */
export function createTokenizer(units: Units): Tokenizer {
  const cache = new Map<string, Spelled>()

  const spell = (word: string): Spelled => {
    const kept = cache.get(word)
    if (kept) return kept
    const spelled = spellWord(units, word)
    if (cache.size >= cachedWords) cache.clear()
    cache.set(word, spelled)
    return spelled
  }
  return {
    tokens(text) {
      const ids: number[] = []
      let words = 0
      let unknown = 0
      for (const word of wordsOf(text)) {
        const spelled = spell(word)
        for (const id of spelled.ids) ids.push(id)
        if (isNumber(word)) continue
        words += 1
        if (!spelled.known) unknown += 1
      }
      return { ids, words, unknown }
    },
  }
}

/** Runs of letters and digits, as they are written. */
export function wordsOf(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII needs no normalisation, which costs a third of the time
  const plain = /^[\x00-\x7f]*$/.test(text)
  return (plain ? text.match(/[A-Za-z0-9]+/g) : text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu)) ?? []
}

function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word)
}

function spellWord(units: Units, word: string): Spelled {
  if (word.length > longestWord) return { ids: [], known: false }
  const lower = word.toLowerCase()
  const whole = units.placeOf(lower)
  if (whole !== undefined) return { ids: [whole], known: true }
  const parts = partsOf(word).map(part => spellPart(units, part.toLowerCase()))
  return { ids: parts.flatMap(part => part.ids), known: parts.every(part => part.known) }
}

/** `parseHTTPHeaders` is `parse`, `HTTP`, `Headers`. */
export function partsOf(word: string): string[] {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
}

function spellPart(units: Units, part: string): Spelled {
  const whole = units.placeOf(part) ?? numberOf(units, part) ?? withoutEnding(units, part)
  if (whole !== undefined) return { ids: [whole], known: true }
  return { ids: part.length > longestSpelled ? [] : piecesOf(units, part), known: false }
}

function numberOf(units: Units, part: string): number | undefined {
  return /^[0-9]{3,}$/.test(part) ? units.placeOf(numberUnit) : undefined
}

function withoutEnding(units: Units, part: string): number | undefined {
  for (const [ending, instead] of endings) {
    if (part.length < ending.length + 4 || !part.endsWith(ending)) continue
    const stem = units.placeOf(part.slice(0, -ending.length) + instead)
    if (stem !== undefined) return stem
  }
  return undefined
}

/** The longest match first; none for what would fall into too many. */
function piecesOf(units: Units, part: string): number[] {
  const found: number[] = []
  let at = 0
  while (at < part.length) {
    const next = longestAt(units, part, at)
    if (next) found.push(next.place)
    if (found.length > mostPieces) return []
    at += next?.length ?? 1
  }
  return found
}

function longestAt(units: Units, part: string, at: number) {
  for (let length = Math.min(longestPart, part.length - at); length >= 1; length--) {
    const text = part.slice(at, at + length)
    const place = (length >= 4 ? units.placeOf(text) : undefined) ?? units.placeOf(pieceMark + text)
    if (place !== undefined) return { place, length }
  }
  return undefined
}
