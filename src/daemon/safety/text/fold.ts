import { isAscii } from '../../../lib/text/is-ascii.js'

/** White space other than single blanks, and emphasis marks: the parts of ASCII text that folding changes. */
const uneven = /[*_]|[^\S ]| {2}/
// All invisible characters: joiners, direction marks, fillers, variation selectors, tags.
const ignorable = new RegExp(
  [
    String.raw`\u034f`,
    String.raw`[\u00ad\u061c\u0640\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]`,
    String.raw`[\u180b-\u180d\u180f]`,
    String.raw`[\ufe00-\ufe0f]`,
    String.raw`[\u{e0000}-\u{e0fff}]`,
  ].join('|'),
  'gu',
)
const doubleQuotes = /[\u201c-\u201f\u00ab\u00bb\u300c-\u300f\u2033]/g
const singleQuotes = /[\u2018-\u201b\u2032\u00b4]/g
const emphasis = /[*_]+/g
// Circled, squared and flag letters, which compatibility normalisation doesn't change: 26 letters from each
// start.
const letterBlocks = [0x1f150, 0x1f170, 0x1f1e6]
const boxedLetter = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

/**
 * The form that rules are matched against: lower case, with plain compatibility letters and uniform quotes
 * and white space. It has no accents on Latin letters, Arabic vowel signs, Markdown emphasis or invisible
 * characters.
 */
export function fold(text: string): string {
  const plain = isAscii(text) ? text.toLowerCase() : foldUnicode(text)
  if (!uneven.test(plain)) return plain
  return plain
    .replace(/\\\r?\n/g, ' ')
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ')
    .replace(/ \n ?|\n /g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(emphasis, withoutEmphasis)
}

function foldUnicode(text: string): string {
  return text
    .replace(ignorable, '')
    .replace(boxedLetter, unboxed)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/([\s!-~α-ω])[\u0300-\u036f]+/g, '$1')
    .replace(/[\u064b-\u0652\u0591-\u05c7]/g, '')
    .replace(doubleQuotes, '"')
    .replace(singleQuotes, "'")
    .normalize('NFC')
}

function unboxed(char: string): string {
  const point = char.codePointAt(0)!
  const start = letterBlocks.find(block => point >= block && point < block + 26)!
  return String.fromCharCode(97 + point - start)
}

/** Marks at the edge of a word are Markdown; elsewhere they belong to a name or a command. */
function withoutEmphasis(marks: string, at: number, text: string): string {
  const opens = (at === 0 || /\s/.test(text[at - 1]!)) && /[a-z]/.test(text[at + marks.length] ?? '')
  const closes = /[a-z]/.test(text[at - 1] ?? '') && /[\s.,;:!?)]|^$/.test(text[at + marks.length] ?? '')
  return opens || closes ? '' : marks
}
