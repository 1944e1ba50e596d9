/** Characters (UTF-16 units) of one token in budgets that are counted in characters. */
export const charactersPerToken = 4

/** Parts of a text that the tokenizers of language models rarely join; none spans a line end. */
const pieces =
  /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[A-Za-z]+|\p{L}[\p{L}\p{M}]*|\p{N}+|\n\s*|[^\S\n]{2,}|[^\s\p{L}\p{N}]+/gu

/** Letters of an English word that is one token, and of each further token. */
const wordLetters = 9
const furtherLetters = 5
const hanTokens = 0.75
const otherLettersOfToken = 4
const signsOfToken = 2.2

/**
 * Estimates the tokens of a text for a language model (within about 10 % for English).
 * Parts split at line ends have no fewer tokens than the whole, so a sum of parts never exceeds a budget.
 */
export function tokensOf(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(pieces)) tokens += tokensOfPiece(piece)
  return Math.ceil(tokens)
}

function tokensOfPiece(piece: string): number {
  const { length } = piece
  const code = piece.charCodeAt(0)
  if (isSpace(code)) return 1
  if (code < 0x80) {
    if (code >= 0x30 && code <= 0x39) return Math.ceil(length / 3)
    const letter = code | 0x20
    if (letter < 0x61 || letter > 0x7a) return Math.ceil(length / signsOfToken)
    return 1 + Math.max(0, Math.ceil((length - wordLetters) / furtherLetters))
  }
  if (/^\p{Script=Han}/u.test(piece)) return hanTokens
  if (/^[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(piece)) return 1
  return /^\p{L}/u.test(piece) ? Math.ceil(length / otherLettersOfToken) : length
}

/** The token count of a range. */
export interface TokenSpan {
  /** The requested end, or the end of the last token within the limit. Never inside a character. */
  end: number
  tokens: number
}

/** Conservative characters per token in the word-piece vocabularies of our models. */
const lettersPerToken = 5
const digitsPerToken = 3
/** For alphabets rare in these vocabularies. */
const otherLettersPerToken = 2
/** White space costs no tokens, but a span of white space must still end. */
const unitsPerToken = 40

/**
 * Estimates an embedding model's tokens, rather too many than too few, up to `max`. Models read no more than
 * their limit, and their vocabularies are smaller than those of language models.
 */
export function takeTokens(text: string, from: number, to: number, max: number): TokenSpan {
  const last = Math.min(to, from + max * unitsPerToken)
  let tokens = 0
  let run = 0
  let runKind = 0
  for (let at = from; at < last; at++) {
    const perToken = unitsOfToken(text.charCodeAt(at))
    if (perToken === joined) continue
    run = perToken === runKind ? run + 1 : 0
    runKind = perToken
    if (perToken === blank || run % perToken !== 0) continue
    if (tokens === max) return { end: at, tokens }
    tokens++
  }
  const cutsPair = last < to && isLowSurrogate(text.charCodeAt(last))
  return { end: cutsPair && last - 1 > from ? last - 1 : last, tokens }
}

const blank = -1
/** Part of the previous character: accents, joiners, low surrogates. */
const joined = 0

function unitsOfToken(code: number): number {
  if (isSpace(code)) return blank
  if (code < 0x80) {
    if (code >= 0x30 && code <= 0x39) return digitsPerToken
    const letter = code | 0x20
    return letter >= 0x61 && letter <= 0x7a ? lettersPerToken : 1
  }
  if (code < 0x250) return code < 0xc0 ? 1 : lettersPerToken
  if (code < 0x370) return code < 0x300 ? 1 : joined
  if (code < 0x1100) return otherLettersPerToken
  if (code >= 0x1e00 && code < 0x2000) return lettersPerToken
  if (code >= 0x200b && code <= 0x200f) return joined
  return (code >= 0xfe00 && code <= 0xfe0f) || isLowSurrogate(code) ? joined : 1
}

/** Whether `trim` removes the character. */
export function isSpace(code: number): boolean {
  if (code <= 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0
  return code >= 0x1680 && (wideSpaces.has(code) || (code >= 0x2000 && code <= 0x200a))
}

const wideSpaces: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff])

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
