/** Enough of a text to tell its charset. */
const sampleBytes = 64 * 1024

/**
 * Guesses the charset of a text that is not UTF-8 and says nothing about it. Each charset is tried: its
 * characters must be common ones, or belong to the letters of one language.
 * @returns a label of the Encoding Standard; windows-1252 if no other one fits.
 */
export function guessCharset(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes)
  return guessUtf16(sample) ?? guessEastAsian(sample) ?? guessByLetters(sample) ?? 'windows-1252'
}

const utf16 = ['utf-16le', 'utf-16be'] as const
const ordinary = /[\p{L}\p{M}\p{N}\p{P}\p{Zs}\s$+<=>^`|~]/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes colour the lines of logs
const impossible = /[\ufffd\ufffe\uffff\p{Cn}\p{Co}\p{Cs}]|(?![\t\n\f\r\x1b])\p{Cc}/u

/**
 * Recognises UTF-16 without a byte order mark. Its bytes look like those of a program or a picture; its
 * characters don't.
 */
export function guessUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampleBytes)
  if (sample.length < 8 || !sample.includes(0)) return undefined
  const [best] = utf16
    .map(label => {
      const text = decoded(label, sample)
      const isText = !impossible.test(text) && (text.match(ordinary)?.length ?? 0) >= text.length * 0.95
      // In the wrong order a space is a rare sign.
      return { label, ascii: isText ? (text.match(/[\t\n\r -~]/gu)?.length ?? 0) : -1 }
    })
    .sort((a, b) => b.ascii - a.ascii)
  return best && best.ascii > 0 ? best.label : undefined
}

/** In one go, Node 20 decodes windows-1252 as ISO 8859-1. */
function decoded(label: string, bytes: Uint8Array): string {
  return new TextDecoder(label).decode(bytes, { stream: true })
}

interface EastAsian {
  label: string
  /** Recognises two bytes of one character. */
  isPair(first: number, second: number): boolean
  /** Recognises the characters that most texts consist of. */
  isCommon(first: number, second: number): boolean
  /** Recognises letters that only this charset's language uses. */
  isOwn?(first: number, second: number): boolean
}

const within = (low: number, high: number) => (byte: number) => byte >= low && byte <= high
const isHigh = within(0xa1, 0xfe)
const isSign = within(0xa1, 0xa3)

/** Earlier ones win with the same share of common characters. */
const eastAsian: readonly EastAsian[] = [
  {
    label: 'shift_jis',
    isPair: (first, second) =>
      (within(0x81, 0x9f)(first) || within(0xe0, 0xfc)(first)) &&
      within(0x40, 0xfc)(second) &&
      second !== 0x7f,
    isCommon: first => within(0x81, 0x97)(first),
    isOwn: (first, second) => (first === 0x82 && second >= 0x9f) || (first === 0x83 && second <= 0x96),
  },
  {
    label: 'euc-jp',
    isPair: (first, second) => isHigh(first) && isHigh(second),
    isCommon: first => within(0xa1, 0xa5)(first) || within(0xb0, 0xcf)(first),
    isOwn: first => first === 0xa4 || first === 0xa5,
  },
  {
    label: 'euc-kr',
    isPair: (first, second) => within(0x81, 0xfe)(first) && within(0x41, 0xfe)(second),
    isCommon: (first, second) => isHigh(second) && (isSign(first) || within(0xb0, 0xc8)(first)),
    isOwn: (first, second) => isHigh(second) && within(0xb0, 0xc8)(first),
  },
  {
    label: 'gb18030',
    isPair: (first, second) => within(0x81, 0xfe)(first) && within(0x40, 0xfe)(second) && second !== 0x7f,
    isCommon: (first, second) => isHigh(second) && (isSign(first) || within(0xb0, 0xd7)(first)),
  },
  {
    label: 'big5',
    isPair: (first, second) => within(0x81, 0xfe)(first) && (within(0x40, 0x7e)(second) || isHigh(second)),
    isCommon: first => within(0xa1, 0xc6)(first),
  },
]

const leastCommon = 0.9
const leastOwn = { shift_jis: 0.15, 'euc-jp': 0.2, 'euc-kr': 0.9 } as Readonly<Record<string, number>>

function guessEastAsian(bytes: Uint8Array): string | undefined {
  let best: { label: string; common: number } | undefined
  for (const charset of eastAsian) {
    const { common, own } = sharesOf(bytes, charset)
    if (common < leastCommon || own < (leastOwn[charset.label] ?? 0)) continue
    if (charset.isOwn) return charset.label
    if (!best || common > best.common) best = { label: charset.label, common }
  }
  return best?.label
}

/** The shares of a charset's common and own characters among all that are not ASCII. */
function sharesOf(bytes: Uint8Array, charset: EastAsian): { common: number; own: number } {
  let all = 0
  let common = 0
  let own = 0
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] as number
    if (first < 0x80) continue
    const second = bytes[at + 1]
    all++
    // The sample may end in the middle of a character.
    if (second === undefined) all--
    else if (charset.isPair(first, second)) {
      if (charset.isCommon(first, second)) common++
      if (charset.isOwn?.(first, second)) own++
      at++
    }
  }
  return all === 0 ? { common: 0, own: 0 } : { common: common / all, own: own / all }
}

interface Language {
  charset: string
  /** Letters beyond ASCII, of one language in each text. */
  alphabets: readonly string[]
  /** Its most frequent letters, if words have no ASCII letters. */
  often?: RegExp
}

const cyrillic = {
  alphabets: ['абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґўђјљњћџѓѕќ'],
  often: /[оеаинтсрвл]/giu,
}
const central = {
  alphabets: [
    'ąćęłńóśźż',
    'áčďéěíňóřšťúůýž',
    'áäčďéíĺľňóôŕšťúýž',
    'áéíóöőúüű',
    'ăâîşţ',
    'čćđšž',
    'äéöüßčšžćř',
  ],
}

/** Western languages come first: they are the most common. */
const languages: readonly Language[] = [
  {
    charset: 'windows-1252',
    alphabets: [
      'äöüßé',
      'àâæçéèêëîïôœùûüÿ',
      'áéíñóúü',
      'áâãàçéêíóôõú',
      'àèéìíîòóùú',
      'åäöæøéóô',
      'éëïèöüáóê',
      'àçèéíïòóúü',
      'éèêëïöüñçàáó',
    ],
  },
  { charset: 'windows-1254', alphabets: ['çğıiöşüâîû\u0307'] },
  { charset: 'windows-1252', alphabets: ['áðéíóúýþæö'] },
  { charset: 'windows-1250', ...central },
  { charset: 'iso-8859-2', ...central },
  { charset: 'windows-1257', alphabets: ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äöõüšž'] },
  { charset: 'windows-1251', ...cyrillic },
  { charset: 'koi8-u', ...cyrillic },
  { charset: 'ibm866', ...cyrillic },
  { charset: 'windows-1253', alphabets: ['αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ'], often: /[αοιετσνηυρ]/giu },
  { charset: 'windows-1255', alphabets: ['אבגדהוזחטיךכלםמןנסעףפץצקרשת'], often: /[יוהלאמרתבש]/gu },
  {
    charset: 'windows-1256',
    alphabets: ['ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگکھہیں'],
    often: /[اليمنورتبهدی]/gu,
  },
  {
    charset: 'windows-874',
    alphabets: ['กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮฤะาำเแโใไๆฯ'],
    often: /[านรกอเงมลว]/gu,
  },
]

const outside = /[^\p{ASCII}\p{M}\p{P}\p{Zs}§©®™°€£¥±µ·×÷²³¹½¼¾№¨´\u200e\u200f]/gu
/** Signs in a word, and a capital after a small letter, come from a letter of another charset. */
const oddWord = /\p{L}[²³¹½¼¾¿¡÷×±¶¦]|[²³¹½¼¾÷×±¶¦]\p{L}|\p{Ll}(?![A-Z])\p{Lu}/u
/** Letters of another script beside ASCII letters in one word. */
const mixed = /[a-z](?![a-z])\p{L}|(?![a-z])\p{L}[a-z]/giu
const maxMixed = 0.1

function guessByLetters(bytes: Uint8Array): string | undefined {
  let best: { charset: string; share: number } | undefined
  for (const { charset, alphabets, often } of languages) {
    const text = decoded(charset, bytes)
    if (impossible.test(text) || oddWord.test(text)) continue
    const all = (text.match(outside) ?? []).map(letter => letter.toLowerCase())
    const letters = new Set(all.flatMap(letter => [...letter]))
    if (!alphabets.some(alphabet => [...letters].every(letter => alphabet.includes(letter)))) continue
    const isMixed = (text.match(mixed)?.length ?? 0) > all.length * maxMixed
    // Words of Latin letters have ASCII letters too.
    if (!often && (isMixed || all.length < 2)) return charset
    if (!often || isMixed) continue
    const share = (text.match(often)?.length ?? 0) / all.length
    if (!best || share > best.share) best = { charset, share }
  }
  return best?.charset
}
