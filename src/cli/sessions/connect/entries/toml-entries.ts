import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { isRecord } from '../../../../lib/text/json-of.js'
import { listOf, missingNames, nameOfServer, outdatedKeys, type WantedServer } from './mcp-entries.js'
import { MergeFault } from './merge-fault.js'
import { blockOf, isSame, readToml, type TomlBlock, withoutBlock } from './toml-tables.js'

type Fields = Record<string, unknown>

const section = 'mcp_servers'

/** A hook as an entry of the list `hooks` in a TOML file. */
export type TomlHook = Readonly<Record<string, string | number>>

/**
 * Returns the MCP servers by name in Codex's config.toml. @throws MergeFault with the line if it does not
 * parse.
 */
export function tomlServers(text: string): Fields {
  return (readToml(text)[section] ?? {}) as Fields
}

/**
 * Appends our server as a table, leaving every byte before it unchanged; an existing entry is changed in
 * place. The result is parsed again to verify that it means the old text plus our server.
 * @throws MergeFault if it does not parse, or servers are written in a form that no table can follow.
 */
export function addTomlServer(text: string, { value: wanted, isOwn }: WantedServer): string {
  const { name, found } = nameOfServer(tomlServers(text), isOwn)
  const outdated = found ? outdatedKeys(found, wanted) : []
  if (found && outdated.length === 0) return text
  const value = found ? updated(found, wanted, outdated) : wanted
  const result = found ? replaceKeys(text, name, found, value) : append(text, name, value)
  requireMeaning(result, text, name, { ...keptFields(found, value), ...value })
  return result
}

/** Returns the text without our server's tables. @throws MergeFault if they are not written as tables. */
export function removeTomlServer(
  text: string,
  isOwn: (server: unknown) => boolean,
  original?: string,
): string {
  const servers = tomlServers(text)
  const names = Object.keys(servers).filter(name => isOwn(servers[name]))
  return names.reduce((current, name) => {
    const result = cut(current, name, original)
    requireMeaning(result, current, name, undefined)
    return result
  }, text)
}

function append(text: string, name: string, value: Fields): string {
  const newline = newlineOf(text)
  const ended = text === '' || text.endsWith('\n') ? text : text + newline
  const gap = ended.trim() === '' ? '' : newline
  return ended + gap + [`[${section}.${name}]`, ...tomlLines(value), ''].join(newline)
}

/** Keeps fields that are up to date, and the user's additional variable names. */
function updated(found: Fields, wanted: Fields, outdated: readonly string[]): Fields {
  const names = listOf(found.env_vars)
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => {
      if (!outdated.includes(key)) return [key, found[key] ?? value]
      return [key, key === 'env_vars' ? [...names, ...missingNames(names, value)] : value]
    }),
  )
}

/** Rewrites our keys below the header; other lines of the tables are kept. */
function replaceKeys(text: string, name: string, found: Fields, value: Fields): string {
  const newline = newlineOf(text)
  const block = serverBlock(text, name)
  const head = text.slice(block.start, block.bodyStart)
  const gone = [...new Set([...ownKeys, ...Object.keys(value)])].filter(key => found[key] !== undefined)
  const rest = gone.reduce((body, key) => withoutKey(body, key), text.slice(block.bodyStart, block.end))
  return `${text.slice(0, block.start)}${head}${tomlLines(value).join(newline)}${newline}${rest}${text.slice(block.end)}`
}

/** Keys of the transport; in our entry all of them belong to us. */
const ownKeys = ['command', 'args', 'url']

function keptFields(found: Fields | undefined, value: Fields): Fields {
  return Object.fromEntries(
    Object.entries(found ?? {}).filter(([key]) => !(key in value) && !ownKeys.includes(key)),
  )
}

/** Removes a key with its value, which may be a list over several lines. */
function withoutKey(body: string, key: string): string {
  const start = new RegExp(String.raw`^[ \t]*${key}[ \t]*=`, 'mu').exec(body)?.index
  if (start === undefined) return body
  const lines = body.slice(start).split(/(?<=\n)/u)
  const count = lines.findIndex((_, position) => parses(lines.slice(0, position + 1).join(''))) + 1
  return body.slice(0, start) + lines.slice(Math.max(1, count)).join('')
}

function parses(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

/** @throws MergeFault for a server that is not written as a table. */
function serverBlock(text: string, name: string): TomlBlock {
  const block = blockOf(text, [section, name])
  if (!block) throw notATable(name)
  return block
}

function cut(text: string, name: string, original: string | undefined): string {
  const { before, behind } = withoutBlock(text, serverBlock(text, name))
  const wasOpen = original !== undefined && original !== '' && !original.endsWith('\n')
  return wasOpen && behind === '' ? before.replace(/\r?\n$/u, '') : before + behind
}

/** @throws MergeFault unless the result means the text with the wanted server, or without it. */
function requireMeaning(result: string, text: string, name: string, server: Fields | undefined): void {
  const before = readToml(text)
  const { [name]: _, ...others } = (before[section] ?? {}) as Fields
  const servers = server ? { ...others, [name]: server } : others
  const { [section]: __, ...rest } = before
  const expected = Object.keys(servers).length > 0 ? { ...rest, [section]: servers } : rest
  if (!isSame(meaningOf(result, name), expected)) throw notATable(name)
}

/** @throws MergeFault if servers are written inline, because no table may follow them. */
function meaningOf(result: string, name: string): Fields {
  try {
    const meaning = parse(result.replace(/^\uFEFF/u, ''), { integersAsBigInt: 'asNeeded' }) as Fields
    const { [section]: servers, ...rest } = meaning
    return servers && Object.keys(servers).length === 0 ? rest : meaning
  } catch {
    throw notATable(name)
  }
}

function notATable(name: string): MergeFault {
  return new MergeFault(
    0,
    `defines its MCP servers in a form that does not allow a table [${section}.${name}]`,
  )
}

function tomlLines(value: Fields): string[] {
  return Object.entries(value).map(([key, item]) => `${key} = ${tomlValue(item)}`)
}

/** JSON strings are valid TOML basic strings, and lists of them TOML arrays, once DEL is escaped. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (typeof value === 'object' && value !== null) return `{ ${tomlLines(value as Fields).join(', ')} }`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

function newlineOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? '\n'
}

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
