import { isAscii } from '../../../../lib/text/is-ascii.js'

// Latin, Greek and Cyrillic accents, Hebrew points, Arabic harakat. Thai vowels and Japanese voicing marks are not
// in these ranges: there they make another letter.
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]|\ufe0e|\ufe0f/g

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
}
const letterPattern = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/** Folds accents, ligatures, full-width and other compatibility forms; keeps case. Decomposed and composed text agree. */
export function foldAccents(text: string): string {
  if (isAscii(text)) return text
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .replace(letterPattern, letter => letters[letter]!)
}
