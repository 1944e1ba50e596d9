// runs: alone

import { inspect } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { createRedactor, type Redactor } from '../../../../../../src/daemon/secrets/exec/redact/redactor.js'

/** Encodings of a value, implemented independently with the encoders of the platform. */
const encoders: Readonly<Record<string, (value: string) => readonly string[]>> = {
  'as it is': value => [value],
  base64: value => ['', 'x', 'xy'].map(before => within(value, before, 'base64')),
  'base64 for addresses': value => ['', 'x', 'xy'].map(before => within(value, before, 'base64url')),
  hex: value => [hexOf(value), hexOf(value).toUpperCase()],
  'bytes of a dump': value => [spaced(hexOf(value))],
  'escaped bytes': value => [hexOf(value).replace(/../gu, '\\x$&')],
  'URL, component': value => [encodeURIComponent(value)],
  'URL, lower case': value => [encodeURIComponent(value).replace(/%../gu, digits => digits.toLowerCase())],
  'URL, form': value => [new URLSearchParams([['', value]]).toString().slice(1)],
  'URL, every byte': value => [
    hexOf(value).toUpperCase().replace(/../gu, '%$&'),
    hexOf(value).replace(/../gu, '%$&'),
  ],
  JSON: value => [JSON.stringify(value).slice(1, -1)],
  'JSON, slashes': value => [JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
  'JSON, ASCII only': value => [
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[\u007f-\u{10ffff}]/gu, char =>
        [...Array(char.length).keys()].map(at => unicode(char, at)).join(''),
      ),
  ],
  'JSON, every character': value => [[...Array(value.length).keys()].map(at => unicode(value, at)).join('')],
  'JSON in JSON': value => [JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
  'Node, in quotes': value => [
    inspect(value, { breakLength: Number.POSITIVE_INFINITY, maxStringLength: null }).slice(1, -1),
  ],
  'shell, in single quotes': value => [value.replaceAll("'", `'\\''`), value.replaceAll("'", `'"'"'`)],
  'shell, in double quotes': value => [value.replace(/[\\"$`]/gu, '\\$&')],
  'shell, without quotes': value => [value.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]/gu, '\\$&')],
  'HTML, text': value => [value.replace(/[&<>]/gu, entityOf)],
  'HTML, attribute': value => [value.replace(/[&<>"]/gu, entityOf), value.replace(/[&<>"']/gu, entityOf)],
  lines: value => value.split(/[\r\n]+/u).filter(line => [...line.trim()].length >= 4),
}

function entityOf(char: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[char] ?? char
}

const secret = fc
  .oneof(
    fc.string({ minLength: 4, maxLength: 60 }),
    fc.string({ minLength: 4, maxLength: 60, unit: 'binary' }),
    fc.string({
      minLength: 4,
      maxLength: 40,
      unit: fc.constantFrom('a', 'b', '\n', '%', '\\', '/', ' ', 'é'),
    }),
    fc.string({
      minLength: 4,
      maxLength: 30,
      unit: fc.constantFrom('a', '&', '<', '"', "'", '$', '`', '\\'),
    }),
    fc
      .array(fc.string({ minLength: 0, maxLength: 20 }), { minLength: 2, maxLength: 5 })
      .map(list => list.join('\n')),
  )
  .filter(
    value => [...value.trim()].length >= 4 && !value.includes('\0') && !'[REDACTED]'.includes(value.trim()),
  )

test('no chunking reveals a value in any encoding (secret-commands.md 2)', async t => {
  const noise = fc.string({ maxLength: 30, unit: 'binary' })
  await fc.assert(
    fc.asyncProperty(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.array(noise, { minLength: 4, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 }),
      async (values, between, sizes) => {
        const redactor = await createRedactor(values)
        for (const [name, encode] of Object.entries(encoders)) {
          const forms = values.flatMap(encode).filter(form => [...form.trim()].length >= 4)
          const text = forms.map((form, at) => `${between[at % 4]}${form}`).join('') + between[0]
          const output = redactedBy(redactor, Buffer.from(text), sizes).toString()
          for (const form of forms) if (!'[REDACTED]'.includes(form)) t.false(output.includes(form), name)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('other output is unchanged, even bytes that are not text (secret-commands.md 2)', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
      async (bytes, sizes) => {
        const output = await redactedBytes(['correct horse battery'], Buffer.from(bytes), sizes)
        t.deepEqual(output, Buffer.from(bytes))
      },
    ),
  )
})

test('a value is replaced by one mark, longest first (secret-commands.md 2)', async t => {
  const values = ['hunter2hunter2', 'hunter2']
  t.is(await redacted(values, Buffer.from('a hunter2hunter2 b hunter2 c')), 'a [REDACTED] b [REDACTED] c')
})

test('overlapping values are removed completely (secret-commands.md 2)', async t => {
  t.is(await redacted(['abcdef', 'defghi'], Buffer.from('>abcdefghi<')), '>[REDACTED]<')
})

test('a value wrapped by an encoder is found (secret-commands.md 2)', async t => {
  const value = 'a-rather-long-token-that-no-line-holds-in-base64'
  const lines = Buffer.from(`before ${value} behind`).toString('base64').replace(/.{16}/gu, '$&\r\n')
  const output = await redacted([value], Buffer.from(lines))
  t.true(output.length < 45)
  t.regex(output, /\[REDACTED\]/u)
})

test('only a possible beginning of a value is delayed (secret-commands.md 2)', async t => {
  const redaction = (await createRedactor(['swordfish'])).begin()
  t.is(redaction.push(Buffer.from('nothing of it, but sword')).toString(), 'nothing of it, but ')
  t.is(redaction.push(Buffer.from('play')).toString(), 'swordplay')
  t.is(redaction.push(Buffer.from('. swordfis')).toString(), '. ')
  t.is(redaction.end().toString(), 'swordfis')
})

test('redaction time is linear in the output (secret-commands.md 2)', async t => {
  const redactor = await createRedactor([`${'a'.repeat(2000)}b`, 'aaaac'])
  const timed = (mebibytes: number) => {
    const redaction = redactor.begin()
    const chunk = Buffer.alloc(65_536, 'a')
    const started = process.cpuUsage()
    for (let n = 0; n < mebibytes * 16; n++) redaction.push(chunk)
    return process.cpuUsage(started).user / mebibytes
  }
  timed(2)
  // A quadratic algorithm takes 2,000 steps per byte, a second for each half megabyte.
  t.true(timed(4) < 500_000)
})

async function redacted(values: string[], output: Buffer, sizes = [7]): Promise<string> {
  return (await redactedBytes(values, output, sizes)).toString()
}

async function redactedBytes(values: string[], output: Buffer, sizes: number[]): Promise<Buffer> {
  return redactedBy(await createRedactor(values), output, sizes)
}

/** Redacts the output in chunks with these sizes in turn. */
function redactedBy(redactor: Redactor, output: Buffer, sizes: number[]): Buffer {
  const redaction = redactor.begin()
  const pieces: Buffer[] = []
  for (let at = 0, n = 0; at < output.length; n++) {
    const size = sizes[n % sizes.length] as number
    pieces.push(redaction.push(output.subarray(at, at + size)))
    at += size
  }
  return Buffer.concat([...pieces, redaction.end()])
}

/** Returns the encoded characters that contain only bits of the value. */
function within(value: string, before: string, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.from(`${before}${value}`).toString(encoding).replace(/=+$/u, '')
  const bytes = Buffer.byteLength(before + value)
  return text.slice(Math.ceil((before.length * 8) / 6), Math.floor((bytes * 8) / 6))
}

const hexOf = (value: string): string => Buffer.from(value).toString('hex')
const spaced = (hex: string): string => hex.replace(/..(?!$)/gu, '$& ')
const unicode = (text: string, at: number): string =>
  `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
