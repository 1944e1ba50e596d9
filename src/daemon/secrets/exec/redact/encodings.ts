import { shortestSecret, tellableLength } from '../../../../contract/secrets/name-form.js'

/** How hexadecimal digits are written: as they are (lower case) or in upper case. */
type Digits = (hex: string) => string
type Encode = (text: string, digits: Digits) => readonly string[]

const encodings: readonly Encode[] = [text => [text], base64, url, json, hex, quoted, markup]
const cases: readonly Digits[] = [digits => digits, digits => digits.toUpperCase()]

/**
 * The forms in which a value is looked for in output, each once: as it is and encoded, whole and line by line
 * (secret-commands.md 2). The characters of an encoding that belong to a neighbour as well are left out.
 */
export function formsOf(value: string): string[] {
  const forms = new Set<string>()
  for (const text of partsOf(value))
    for (const encode of encodings)
      for (const digits of cases)
        for (const form of encode(text, digits)) if (form.length >= shortestSecret) forms.add(form)
  return [...forms]
}

/** The value, and each of its lines that is long enough; with the white space around them and without. */
export function partsOf(value: string): Set<string> {
  const parts = [value, ...value.split(/[\r\n]+/u)].flatMap(part => [part, part.trim()])
  return new Set(parts.filter(part => tellableLength(part) >= shortestSecret))
}

/** Wherever it stands in what is encoded: the bytes before it shift it by none, one or two. */
function base64(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [0, 1, 2].map(shift => sharedByNobody(bytes, shift))
  // Alone, and with the line break of `echo`, the last character is known too.
  for (const alone of [bytes, Buffer.from(`${text}\n`)]) forms.push(unpadded(alone))
  return forms.flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function sharedByNobody(bytes: Buffer, shift: number): string {
  const text = unpadded(Buffer.concat([Buffer.alloc(shift), bytes]))
  const sharedAtEnd = (shift + bytes.length) % 3 === 0 ? 0 : 1
  return text.slice(shift === 0 ? 0 : shift + 1, text.length - sharedAtEnd)
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/u, '')
}

/** What encoders leave as it is: RFC 3986, with slashes, encodeURIComponent, encodeURI, forms, quoted; and nothing. */
const keptInUrls: readonly RegExp[] = [
  /[A-Za-z0-9\-_.~]/u,
  /[A-Za-z0-9\-_.~/]/u,
  /[A-Za-z0-9\-_.!~*'()]/u,
  /[A-Za-z0-9\-_.!~*'();,/?:@&=+$#]/u,
  /[A-Za-z0-9\-_.*]/u,
  /[A-Za-z0-9\-_.]/u,
  /[^\s\S]/u,
]

function url(text: string, digits: Digits): string[] {
  return keptInUrls.flatMap(kept => {
    const form = [...text].map(char => (kept.test(char) ? char : percent(char, digits))).join('')
    return [form, form.replaceAll('%20', '+')]
  })
}

function percent(char: string, digits: Digits): string {
  return bytesOf(char)
    .map(byte => `%${digits(byte)}`)
    .join('')
}

/** What encoders escape beyond what they must: nothing, what is not ASCII, markup, everything. */
const escapedInJson: readonly RegExp[] = [
  /[^\s\S]/u,
  /[^\0-\x7e]/u,
  /[<>&'\u2028\u2029]/u,
  /[^\0-\x7e]|[<>&'"]/u,
  /[\s\S]/u,
]
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function json(text: string, digits: Digits): string[] {
  const forms = escapedInJson.map(escaped => jsonText(text, escaped, digits))
  const withSlashes = forms.map(form => form.replaceAll('/', '\\/'))
  // JSON within JSON.
  const twice = forms.slice(0, 2).map(form => jsonText(form, /[^\s\S]/u, digits))
  return [...forms, ...withSlashes, ...twice]
}

function jsonText(text: string, escaped: RegExp, digits: Digits): string {
  return [...text].map(char => jsonChar(char, escaped.test(char), digits)).join('')
}

function jsonChar(char: string, isEscaped: boolean, digits: Digits): string {
  if (!isEscaped && Object.hasOwn(shortEscapes, char)) return shortEscapes[char] as string
  if (!isEscaped && char >= ' ') return char
  return char
    .split('')
    .map(unit => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('')
}

/** Within the quotes of Python and Node, which escape the one that they stand in, and of shells. */
function quoted(text: string, digits: Digits): string[] {
  const ofLanguage = (escaped: RegExp) =>
    [...text].map(char => (escaped.test(char) ? `\\${char}` : controlIn(char, digits))).join('')
  return [
    ofLanguage(/[\\]/u),
    ofLanguage(/[\\']/u),
    text.replace(/["$`\\]/gu, '\\$&'),
    text.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]/gu, '\\$&'),
    text.replaceAll("'", `'\\''`),
    text.replaceAll("'", `'"'"'`),
  ]
}

function controlIn(char: string, digits: Digits): string {
  if (!/\p{Cc}/u.test(char)) return char
  return shortEscapes[char] ?? `\\x${digits(char.charCodeAt(0).toString(16).padStart(2, '0'))}`
}

/** Of the text of HTML and XML, and of attributes as the common encoders write them. */
const quotesInMarkup: readonly (readonly [double: string, single: string])[] = [
  ['"', "'"],
  ['&quot;', "'"],
  ...['&#39;', '&#x27;', '&#039;', '&apos;'].map(single => ['&quot;', single] as const),
  ['&#34;', '&#39;'],
]

function markup(text: string): string[] {
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return quotesInMarkup.map(([double, single]) => plain.replaceAll('"', double).replaceAll("'", single))
}

/** Plain, as dumps of bytes have it, and as escapes of a shell or a language. */
function hex(text: string, digits: Digits): string[] {
  const bytes = bytesOf(text).map(digits)
  return ['', ' ', ':', '\\x'].map(between => bytes.join(between))
}

function bytesOf(text: string): string[] {
  return Buffer.from(text).toString('hex').match(/../gu) ?? []
}
