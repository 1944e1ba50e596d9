import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/json-of.js'
import { MergeFault } from './merge-fault.js'
import { isSame, readToml, withoutBlock } from './toml-tables.js'

/** A hook as an entry of the list `hooks` in a TOML file. */
export type TomlHook = Readonly<Record<string, string | number>>

/**
 * Appends hooks as tables `[[hooks]]`, and leaves every byte before them unchanged; outdated ones of ours are
 * replaced. @throws MergeFault if the file does not parse, or its hooks are written inline.
 */
export function addTomlHooks(
  text: string,
  wanted: readonly TomlHook[],
  isOwn: (hook: unknown) => boolean,
): string {
  const own = hooksIn(text).filter(isOwn)
  if (isDeepStrictEqual(own.map(plain), wanted.map(plain))) return text
  const cleared = removeTomlHooks(text, isOwn)
  const newline = /\r?\n/u.exec(text)?.[0] ?? '\n'
  const ended = cleared === '' || cleared.endsWith('\n') ? cleared : cleared + newline
  const blocks = wanted.map(hook =>
    ['[[hooks]]', ...Object.entries(hook).map(([key, value]) => `${key} = ${tomlText(value)}`), ''].join(
      newline,
    ),
  )
  const gap = ended === '' ? '' : newline
  const result = ended + gap + blocks.join(newline)
  requireHooks(result, cleared, wanted)
  return result
}

/** Returns the text without our hooks. @throws MergeFault if they are not written as tables. */
export function removeTomlHooks(text: string, isOwn: (hook: unknown) => boolean, original?: string): string {
  if (!hooksIn(text).some(isOwn)) return text
  let current = text
  for (let block = ownBlock(current, isOwn); block; block = ownBlock(current, isOwn)) {
    const { before, behind } = withoutBlock(current, { ...block, bodyStart: block.start })
    current = before + behind
  }
  if (hooksIn(current).some(isOwn)) throw notTables()
  const wasOpen = original !== undefined && original !== '' && !original.endsWith('\n')
  return wasOpen && `${original}\n` === current.replaceAll('\r\n', '\n') ? original : current
}

/** The range of the last table of ours, from its header to its last line. */
function ownBlock(
  text: string,
  isOwn: (hook: unknown) => boolean,
): { start: number; end: number } | undefined {
  const lines = text.split(/(?<=\n)/u)
  const starts = lines.flatMap((line, n) => (/^[ \t]*\[\[[ \t]*hooks[ \t]*\]\]/u.test(line) ? [n] : []))
  const lengthTo = (n: number) => lines.slice(0, n).join('').length
  for (const start of starts.toReversed()) {
    const next = lines.findIndex((line, n) => n > start && /^[ \t]*\[/u.test(line))
    const limit = next < 0 ? lines.length : next
    const last = lines.slice(start, limit).findLastIndex(line => !/^\s*(?:#[^\n]*)?\n?$/u.test(line))
    const range = { start: lengthTo(start), end: lengthTo(start + last + 1) }
    if (hooksIn(text.slice(range.start, range.end)).some(isOwn)) return range
  }
  return undefined
}

function hooksIn(text: string): unknown[] {
  const { hooks } = readToml(text)
  return Array.isArray(hooks) ? hooks : []
}

/** @throws MergeFault unless the result means the text with these hooks behind its own. */
function requireHooks(result: string, text: string, wanted: readonly TomlHook[]): void {
  const before = readToml(text)
  try {
    const expected = { ...before, hooks: [...hooksIn(text), ...wanted] }
    if (isSame(readToml(result), expected)) return
  } catch (error) {
    if (!(error instanceof MergeFault)) throw error
  }
  throw notTables()
}

function notTables(): MergeFault {
  return new MergeFault(0, 'defines its hooks in a form that no table [[hooks]] can follow')
}

/** Integers are read as numbers or as big ones. */
function plain(hook: unknown): unknown {
  return isRecord(hook)
    ? Object.fromEntries(Object.entries(hook).map(([key, value]) => [key, String(value)]))
    : hook
}

function tomlText(value: string | number): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
