import traditional from 'opencc-js/dict/TSCharacters'
import { lazy } from '../../../../lib/concurrency/lazy.js'
import { isAscii } from '../../../../lib/text/is-ascii.js'

// Latin, Greek and Cyrillic accents, Hebrew points, Arabic harakat. Thai vowels and Japanese voicing marks
// are excluded: they make another letter. So does the breve of й.
const accents = /(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05c7\u064b-\u065f\u0670]|\ufe0e|\ufe0f/g

/** A soft hyphen at the end of a line, with the line end, and characters that nobody sees inside a word. */
const invisible =
  /\u00ad[^\S\n]*\n[^\S\n]*|\u034f|[\u00ad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g

/** Khmer, Lao, Myanmar and Thai separate words by it. */
const zeroWidthSpace = lazy(
  () => /(?<![\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200b/gu,
)

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'TH',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  // Persian and Urdu keyboards have their own letters for the same Arabic ones.
  ی: 'ي',
  ى: 'ي',
  ې: 'ي',
  ے: 'ي',
  ک: 'ك',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ة: 'ه',
  ۀ: 'ه',
  ٱ: 'ا',
  ـ: '',
  // Hyphens and the sign of minus; dashes separate words.
  '\u2010': '-',
  '\u2011': '-',
  '\u2212': '-',
  ...digitsFrom(0x660),
  ...digitsFrom(0x6f0),
  ...digitsFrom(0x966),
}

function digitsFrom(zero: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 10 }, (_, i) => [String.fromCharCode(zero + i), String(i)]))
}

const letterPattern = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

const han = lazy(() => /\p{Script=Han}/gu)
const simplified = lazy(
  () => new Map(traditional.split('|').map(pair => pair.split(' ') as [string, string])),
)

/**
 * Folds accents, ligatures, full-width and other compatibility forms, letters of one word that differ by
 * keyboard (Arabic, Persian), and traditional Chinese characters; keeps case. Decomposed and composed forms
 * match. Characters that nobody sees are removed.
 */
export function foldLetters(text: string): string {
  if (isAscii(text)) return text
  const folded = text
    .replace(invisible, '')
    .replace(zeroWidthSpace(), '')
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .replace(letterPattern, letter => letters[letter]!)
  return folded.replace(han(), character => simplified().get(character) ?? character)
}
