import { maskableLength, shortestSecret } from '../../../../contract/secrets/name-form.js'

/** Case of hexadecimal digits: lower (unchanged) or upper. */
type Digits = (hex: string) => string
type Encode = (text: string, digits: Digits) => readonly string[]

const encodings: readonly Encode[] = [text => [text], base64, url, json, hex, quoted, markup]
const cases: readonly Digits[] = [digits => digits, digits => digits.toUpperCase()]

/**
 * Returns the distinct forms of a value to search in output: plain and encoded, whole and line by line
 * (secret-commands.md 2). Encoded characters shared with a neighbour are omitted.
 */
export function formsOf(value: string): string[] {
  const forms = new Set<string>()
  for (const text of partsOf(value))
    for (const encode of encodings)
      for (const digits of cases)
        for (const form of encode(text, digits)) if (form.length >= shortestSecret) forms.add(form)
  return [...forms]
}

/** Returns the value and each sufficiently long line, with and without surrounding white space. */
export function partsOf(value: string): Set<string> {
  const parts = [value, ...value.split(/[\r\n]+/u)].flatMap(part => [part, part.trim()])
  return new Set(parts.filter(part => maskableLength(part) >= shortestSecret))
}

/** The preceding bytes shift the value by zero, one or two positions within its base64 group. */
function base64(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [0, 1, 2].map(shift => sharedByNobody(bytes, shift))
  // At the end of the data, or before the line break of `echo`, the last character is known too.
  for (const alone of [bytes, Buffer.from(`${text}\n`)]) forms.push(unpadded(alone))
  return forms.flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function sharedByNobody(bytes: Buffer, shift: number): string {
  const text = unpadded(Buffer.concat([Buffer.alloc(shift), bytes]))
  const sharedAtEnd = (shift + bytes.length) % 3 === 0 ? 0 : 1
  return text.slice(shift === 0 ? 0 : shift + 1, text.length - sharedAtEnd)
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/(?<!=)=+$/u, '')
}

/**
 * Characters that encoders leave unescaped: RFC 3986, with slashes, encodeURIComponent, encodeURI, forms,
 * quoted-printable; the last pattern keeps none.
 */
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

/** Characters escaped beyond the required ones: none, non-ASCII, markup, non-ASCII and markup, all. */
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
  // JSON nested in a JSON string.
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

/** Strings quoted by Python and Node, which escape their own quote, and by shells. */
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

/** Quotes in HTML and XML text and attributes, as common encoders write them. */
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

/** Hexadecimal: plain, separated as in byte dumps, and as escapes of a shell or language. */
function hex(text: string, digits: Digits): string[] {
  const bytes = bytesOf(text).map(digits)
  return ['', ' ', ':', '\\x'].map(between => bytes.join(between))
}

function bytesOf(text: string): string[] {
  return Buffer.from(text).toString('hex').match(/../gu) ?? []
}
