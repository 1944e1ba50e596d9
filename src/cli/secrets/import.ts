import { readFile } from 'node:fs/promises'
import type { Request } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { CliError } from '../shell/cli-error.js'
import { decodeUtf8 } from '../shell/read-stdin.js'
import { unreadablePath } from '../shell/unreadable-path.js'
import { readHidden } from './read-hidden.js'

interface DotEnv {
  /** In the order of the file; a repeated name occurs twice. */
  entries: { name: string; value: string }[]
  /** Names without a value. */
  empty: string[]
}

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/u

const afterQuote = /^[ \t]*(?:#.*)?$/u

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', $: '$' }

type ReadResult = { value: string; last: number } | { fault: string }

const notAnAssignment: ReadResult = { fault: 'is not NAME=value with a name of letters, digits and _' }

type Body = NonNullable<Request<'POST /api/secrets/store/import'>['body']>

export interface ImportSource {
  body: Pick<Body, 'file' | 'passphrase' | 'entries'>
  /** Names without a value in a .env file, which are skipped. */
  empty: readonly string[]
}

/**
 * Reads an export, whose passphrase it asks for, or a .env file.
 * @throws CliError `invalid_input` for an unreadable file; no message repeats its contents.
 */
export async function readImport(file: string): Promise<ImportSource> {
  const text = decodeUtf8(await bytesOf(file), file)
  if (!text.trimStart().startsWith('{')) {
    const { entries, empty } = parseDotEnv(text)
    if (entries.length > 0) return { body: { entries }, empty }
    throw new CliError(`${file} contains no values`, { code: 'invalid_input', exit: 'usage' })
  }
  const label = `Passphrase of ${file}`
  return { body: { file: parseExport(text, file), passphrase: await readHidden({ label }) }, empty: [] }
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw unreadablePath(file, cause)
  }
}

function parseExport(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new CliError(`${file} is not an export of secrets: invalid JSON`, {
      code: 'invalid_input',
      exit: 'usage',
    })
  }
}

/**
 * Parses a .env file strictly, because a lenient parser could store half a key. Variables in values are not
 * expanded; line ends become `\n`.
 * @throws CliError `invalid_input` that names lines but not their contents.
 */
export function parseDotEnv(text: string): DotEnv {
  const lines = text
    .replace(/^\uFEFF/u, '')
    .replace(/\r\n?/gu, '\n')
    .split('\n')
  const found: DotEnv = { entries: [], empty: [] }
  const faults: { path: string; message: string }[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (/^[ \t]*(?:#|$)/u.test(line)) continue
    const [begin, name] = assignment.exec(line) ?? []
    const read = name === undefined ? notAnAssignment : readValue(lines, at, begin!.length)
    if ('fault' in read) faults.push({ path: `line ${at + 1}`, message: read.fault })
    else if (read.value === '') found.empty.push(name!)
    else found.entries.push({ name: name!, value: read.value })
    at = 'last' in read ? read.last : at
  }
  if (faults.length === 0) return found
  throw new CliError(`${countOf(faults.length, 'line')} could not be read; nothing was imported`, {
    code: 'invalid_input',
    exit: 'usage',
    details: faults.slice(0, 20),
  })
}

function readValue(lines: readonly string[], at: number, from: number): ReadResult {
  const rest = lines[at]!.slice(from)
  const quote = rest[0] ?? ''
  if (!['"', "'", '`'].includes(quote)) return readBare(rest, at)
  const text = [rest.slice(1), ...lines.slice(at + 1)].join('\n')
  const end = endOf(text, quote)
  if (end < 0) return { fault: `has no closing ${quote}` }
  const raw = text.slice(0, end)
  if (!afterQuote.test(text.slice(end + 1).split('\n', 1)[0]!))
    return { fault: `has text after the closing ${quote}` }
  const value = quote === '"' ? raw.replace(/\\([nrt\\"$])/gu, (_match, key: string) => escapes[key]!) : raw
  return { value, last: at + raw.split('\n').length - 1 }
}

/**
 * Some programs end an unquoted value at any `#`, others only after a blank, so the intention is ambiguous.
 */
function readBare(rest: string, at: number): ReadResult {
  const value = rest.replace(/(?:^|(?<![ \t])[ \t])[ \t]*#.*$/u, '').trimEnd()
  return value.includes('#')
    ? { fault: 'has a # in an unquoted value: put the value in quotes' }
    : { value, last: at }
}

/** Returns the end of a quoted text, or -1; in double quotes a backslash escapes the next character. */
function endOf(text: string, quote: string): number {
  if (quote !== '"') return text.indexOf(quote)
  const match = /^(?:[^"\\]|\\[\s\S])*"/u.exec(text)
  return match ? match[0].length - 1 : -1
}
