import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError } from 'smol-toml'
import { MergeFault } from './merge-fault.js'

/** Parses a whole file. @throws MergeFault with the line if it does not parse. */
export function readToml(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/u, ''), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new MergeFault(error.line, `is not TOML: ${reasonOf(error)}`)
  }
}

export interface TomlBlock {
  start: number
  /** Offset after the header. */
  bodyStart: number
  end: number
}

/**
 * Returns the range of a table with its subtables, from its header to their last line.
 * @returns undefined if it is not written as a table.
 */
export function blockOf(text: string, path: readonly string[]): TomlBlock | undefined {
  const own = new RegExp(String.raw`^[ \t]*\[[ \t]*${path.map(keyPattern).join(dot)}[ \t]*[.\]]`, 'u')
  const lines = text.split(/(?<=\n)/u)
  const first = lines.findIndex(line => own.test(line))
  if (first < 0) return undefined
  const following = lines.findIndex(
    (line, position) => position > first && /^[ \t]*\[/u.test(line) && !own.test(line),
  )
  const limit = following < 0 ? lines.length : following
  const last = lines.slice(first, limit).findLastIndex(line => !/^\s*(?:#[^\n]*)?\n?$/u.test(line))
  const lengthTo = (position: number) => lines.slice(0, position).join('').length
  return { start: lengthTo(first), bodyStart: lengthTo(first + 1), end: lengthTo(first + last + 1) }
}

/** Splits the text around a block, without the empty line before it. */
export function withoutBlock(text: string, { start, end }: TomlBlock): { before: string; behind: string } {
  const gap = /(?<=\n)\r?\n$/u.exec(text.slice(0, start))?.[0].length ?? 0
  return { before: text.slice(0, start - gap), behind: text.slice(end) }
}

/** Returns true if two files have the same meaning. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

/** Removes prototypes, which may differ between two parses. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}

const dot = String.raw`[ \t]*\.[ \t]*`

/** Matches all spellings of a key in a header. */
function keyPattern(key: string): string {
  const quoted = [`"${escaped(JSON.stringify(key).slice(1, -1))}"`, `'${escaped(key)}'`]
  return `(?:${[...quoted, ...(/^[\w-]+$/u.test(key) ? [key] : [])].join('|')})`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
}

function reasonOf(error: TomlError): string {
  return error.message.split('\n')[0]!.replace(/^Invalid TOML document: /u, '')
}
