import type { Units } from './model-file.js'

/** The units of a text, and how many of its words are unknown. */
export interface Tokens {
  ids: number[]
  /** Words with a letter. */
  words: number
  /** Words that could only be spelled with short units. */
  unknown: number
}

export interface Tokenizer {
  tokens(text: string): Tokens
}

interface WordSpelling {
  ids: readonly number[]
  known: boolean
}

/** The unit for numbers of three or more digits that are not in the vocabulary. */
export const numberUnit = '#number'
/** Prefix of the units that spell unknown words. */
export const pieceMark = '#'

const longestWord = 59
const longestSpelled = 30
const longestPart = 14
const mostPieces = 8
const cachedWords = 20_000

// Endings that are removed or replaced if the rest is a word; at least four letters must remain.
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
 * Splits texts into the units of a vocabulary. Training and use must share it: vectors of differently split
 * units do not match.
 * @param units words in lower case, and short units prefixed with `#`; a unit's number is its position
 */
export function createTokenizer(units: Units): Tokenizer {
  const cache = new Map<string, WordSpelling>()

  const spell = (word: string): WordSpelling => {
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

/** Returns runs of letters and digits, with their case. */
export function wordsOf(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII skips the slow normalisation
  const plain = /^[\x00-\x7f]*$/.test(text)
  return (plain ? text.match(/[A-Za-z0-9]+/g) : text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu)) ?? []
}

function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word)
}

function spellWord(units: Units, word: string): WordSpelling {
  if (word.length > longestWord) return { ids: [], known: false }
  const lower = word.toLowerCase()
  const whole = units.placeOf(lower)
  if (whole !== undefined) return { ids: [whole], known: true }
  const parts = partsOf(word).map(part => spellPart(units, part.toLowerCase()))
  return { ids: parts.flatMap(part => part.ids), known: parts.every(part => part.known) }
}

/** Splits `parseHTTPHeaders` into `parse`, `HTTP`, `Headers`. */
export function partsOf(word: string): string[] {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
}

function spellPart(units: Units, part: string): WordSpelling {
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

/** Takes the longest match first; returns none if there would be too many units. */
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
