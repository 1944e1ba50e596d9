import { contentIfThere, filesBelow } from '../helpers/files-below.js'
import type { Canary } from './values.js'

/** Place and encoding of a found value. */
export interface Finding {
  place: string
  name: string
  kind: string
  form: string
}

interface Form {
  canary: Canary
  form: string
  bytes: Buffer
}

/** Shorter texts would be found by chance. */
const shortest = 10

/**
 * Searches texts for values, unchanged and in every encoding that programs use. It deliberately shares no
 * code with the product's redaction, so that it finds encodings that the redaction misses.
 */
export class CanarySearch {
  readonly findings: Finding[] = []
  bytes = 0
  places = 0
  /** By their first six bytes. */
  readonly #forms = new Map<number, Form[]>()
  /** Marks the first three bytes of every form. */
  readonly #begins = new Uint8Array(2 ** 24)

  constructor(canaries: readonly Canary[]) {
    for (const canary of canaries)
      for (const [form, texts] of Object.entries(formsOf(canary.value)))
        for (const text of new Set(texts)) this.#add({ canary, form, bytes: comparable(bytesOf(text)) })
  }

  #add(form: Form): void {
    if (form.bytes.length < shortest) return
    const start = form.bytes.readUIntBE(0, 6)
    this.#forms.set(start, [...(this.#forms.get(start) ?? []), form])
    this.#begins[form.bytes.readUIntBE(0, 3)] = 1
  }

  look(place: string, content: string | Buffer): void {
    const bytes = comparable(bytesOf(content))
    this.bytes += bytes.length
    this.places++
    for (let at = 0, last = 0; at < bytes.length; at++) {
      last = ((last << 8) | (bytes[at] as number)) & 0xffffff
      if (this.#begins[last] === 1 && at >= 2) this.#compare(place, bytes, at - 2)
    }
  }

  #compare(place: string, bytes: Buffer, from: number): void {
    if (from + shortest > bytes.length) return
    for (const { canary, form, bytes: wanted } of this.#forms.get(bytes.readUIntBE(from, 6)) ?? [])
      if (wanted.equals(bytes.subarray(from, from + wanted.length)))
        this.findings.push({ place, name: canary.name, kind: canary.kind, form })
  }

  /**
   * Searches everything below a folder, including file names. Files that the running daemon deletes are
   * skipped.
   */
  lookBelow(folder: string): void {
    for (const path of filesBelow(folder)) {
      this.look(`the name of ${path}`, path)
      const content = contentIfThere(path)
      if (content !== undefined) this.look(path, content)
    }
  }

  /** Searches a reply as received, and each decoded text in it. */
  lookAtReply(place: string, text: string): void {
    this.look(place, text)
    for (const line of text.split('\n')) for (const said of textsIn(parsed(line))) this.look(place, said)
  }
}

/** Removes line breaks that encoders insert, and ignores case. */
function comparable(bytes: Buffer): Buffer {
  const kept = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte !== 10 && byte !== 13) kept[length++] = byte >= 65 && byte <= 90 ? byte + 32 : byte
  }
  return kept.subarray(0, length)
}

const bytesOf = (text: string | Buffer): Buffer => (Buffer.isBuffer(text) ? text : Buffer.from(text))

function formsOf(value: string): Record<string, (string | Buffer)[]> {
  const lines = value.split('\n').filter(line => line.length >= shortest && !line.startsWith('-----'))
  const parts = [...new Set([value, value.trim(), ...lines])]
  const each = <T>(form: (part: string) => T | T[]): T[] => parts.flatMap(form)
  const hex = (part: string): string => Buffer.from(part).toString('hex')
  const pairs = (part: string, before: string, between = ''): string =>
    (hex(part).match(/../gu) ?? []).map(pair => before + pair).join(between)
  const json = (part: string): string => JSON.stringify(part).slice(1, -1)
  return {
    value: parts,
    base64: each(part => [0, 1, 2].map(shift => base64At(part, shift))),
    base64url: each(part => [0, 1, 2].map(shift => urlSafe(base64At(part, shift)))),
    hex: each(part => [hex(part), pairs(part, '', ' '), pairs(part, '', ':'), pairs(part, '\\x')]),
    url: each(part => [
      encodeURIComponent(part),
      encodeURI(part),
      new URLSearchParams({ '': part }).toString().slice(1),
      pairs(part, '%'),
    ]),
    json: each(part => [json(part), json(json(part)), json(part).replaceAll('/', '\\/')]),
    escaped: each(part => [json(part).replace(/[^\x20-\x7e]/g, unicodeEscape)]),
    utf16: each(part => Buffer.from(part, 'utf16le')),
  }
}

/** The base64 characters that depend on the value alone, for a given number of bytes before it. */
function base64At(part: string, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), Buffer.from(part)]).toString('base64')
  const bits = (before + Buffer.byteLength(part)) * 8
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Texts within JSON, also decoded from base64, as the bytes of an output are. */
function* textsIn(value: unknown): Generator<string | Buffer> {
  if (typeof value === 'string') {
    yield value
    if (/^[A-Za-z0-9+/]+=*$/u.test(value)) yield Buffer.from(value, 'base64')
  } else if (value !== null && typeof value === 'object')
    for (const inner of Object.values(value)) yield* textsIn(inner)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
