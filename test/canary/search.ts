import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Canary } from './values.js'

/** Where a value stands, and in which form. */
export interface Finding {
  place: string
  name: string
  kind: string
  form: string
}

interface Form {
  canary: Canary
  form: string
  text: string
}

/** Shorter ones would be found in anything. */
const shortest = 10

/**
 * Looks for values in whatever it is given: as they are and in every form in which programs write them. It shares
 * nothing with the redaction of the product on purpose, so that a form which that overlooks is found.
 */
export class CanarySearch {
  readonly findings: Finding[] = []
  bytes = 0
  places = 0
  readonly #forms: Form[]

  constructor(canaries: readonly Canary[]) {
    this.#forms = canaries.flatMap(canary =>
      Object.entries(formsOf(canary.value)).flatMap(([form, texts]) =>
        texts
          .map(text => comparable(Buffer.from(text)))
          .filter(text => text.length >= shortest)
          .map(text => ({ canary, form, text })),
      ),
    )
  }

  look(place: string, content: string | Buffer): void {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content)
    this.bytes += bytes.length
    this.places++
    const text = comparable(bytes)
    for (const { canary, form, text: wanted } of this.#forms)
      if (text.includes(wanted)) this.findings.push({ place, name: canary.name, kind: canary.kind, form })
  }

  /** Everything below a folder, the names of the files too. */
  lookBelow(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      this.look(`the name of ${path}`, path)
      if (entry.isFile()) this.look(path, readFileSync(path))
    }
  }

  /** A reply as it came, and each text in it as its reader gets it. */
  lookAtReply(place: string, text: string): void {
    this.look(place, text)
    for (const line of text.split('\n')) for (const said of textsIn(parsed(line))) this.look(place, said)
  }
}

/** Line breaks that encoders put in, and the case of digits, hide nothing. Each byte becomes one character. */
function comparable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\r\n]/gu, '')
    .toLowerCase()
}

function formsOf(value: string): Record<string, string[]> {
  const lines = value.split('\n').filter(line => line.length >= shortest && !line.startsWith('-----'))
  const parts = [...new Set([value, value.trim(), ...lines])]
  const each = (form: (part: string) => string | string[]): string[] => parts.flatMap(form)
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
    utf16: each(part => Buffer.from(part, 'utf16le').toString('latin1')),
  }
}

/** The characters of base64 that come from the value alone when so many bytes stand before it, and any behind. */
function base64At(part: string, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), Buffer.from(part)]).toString('base64')
  const bits = (before + Buffer.byteLength(part)) * 8
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Texts within JSON, and what they are where they are base64, as the bytes of an output are. */
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
