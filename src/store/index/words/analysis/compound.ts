import { lazy } from '../../../../lib/concurrency/late.js'

/** A longer identifier is indexed by its parts only. */
const longestWhole = 128
/** Longer words (keys, encoded data) are known by their beginning. */
const longestWord = 64

const plainWord = /^[a-z]+$/
const version = /^v?(\d+(?:\.\d+)+)$/i
const digits = /^\d+$/
const camelEdge = lazy(() => /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
const possessive = /['’]s$/i
const apostrophe = /['’]/g
const connector = /[._-]/
const pathEdge = /[/\\:@]/

/**
 * Terms of one piece of text between spaces: a plain word gives itself; an identifier, path, dotted name or
 * version gives itself whole and its parts. All in lower case, not stemmed.
 */
export function partsOf(piece: string): string[] {
  if (plainWord.test(piece)) return [piece.slice(0, longestWord)]
  const text = piece.replace(possessive, '').replace(apostrophe, '')
  const terms: string[] = []
  const segments = text.split(pathEdge).filter(Boolean)
  if (segments.length > 1) addWhole(text, terms)
  for (const segment of segments) addSegment(segment, terms)
  return terms
}

function addSegment(segment: string, terms: string[]): void {
  const numbers = version.exec(segment)?.[1]
  if (numbers) {
    addVersion(numbers, terms)
    return
  }
  const words = segment.split(connector).filter(Boolean)
  if (words.length > 1) addWhole(segment, terms)
  for (const word of words) addWord(word, terms)
}

/** `1.2.3` is found by `1.2` too; lone digits would only be noise. */
function addVersion(numbers: string, terms: string[]): void {
  addWhole(numbers, terms)
  const [major, minor, patch] = numbers.split('.')
  if (patch !== undefined) terms.push(`${major}.${minor}`)
}

function addWord(word: string, terms: string[]): void {
  terms.push(word.toLowerCase().slice(0, longestWord))
  if (word.length > longestWord || digits.test(word)) return
  const parts = word.split(camelEdge())
  if (parts.length > 1) for (const part of parts) terms.push(part.toLowerCase())
}

function addWhole(text: string, terms: string[]): void {
  if (text.length <= longestWhole) terms.push(text.toLowerCase())
}
