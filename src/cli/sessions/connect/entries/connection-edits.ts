import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/json-of.js'
import type { ConnectionEdit, Install } from './harness.js'
import { addHooks, type HookShape, removeHooks, type WantedHook } from './hook-entries.js'
import { removeAt, setIn } from './json-edit.js'
import { behindMark, faultAt, readJson, valueIn } from './json-text.js'
import { addServer, removeServer } from './mcp-entries.js'
import { MergeFault } from './merge-fault.js'
import { holdsOwnHook, isOwnHook, isOwnServer } from './own-entries.js'
import {
  addTomlHooks,
  addTomlServer,
  removeTomlHooks,
  removeTomlServer,
  type TomlHook,
} from './toml-entries.js'

/** One of our hooks with its event in a harness. */
export interface HookEvent {
  event: string
  hook: string
  matcher?: string
  /** In the unit of the harness. */
  timeout: number
}

/** The name of the hook after a tool. */
export const toolHook = 'tool-use'

/** Returns the events that are wanted; those after tools only if their uses are kept. */
export function wantedEvents(
  events: readonly HookEvent[],
  { toolHooks }: Pick<Install, 'toolHooks'>,
): HookEvent[] {
  return events.filter(({ hook }) => toolHooks || hook !== toolHook)
}

/** Edits hooks in a JSON file. @param top other required keys of the file, such as a version. */
export function hooksEdit(options: {
  file: string
  harness: string
  shape: HookShape
  wanted: readonly WantedHook[]
  top?: Readonly<Record<string, unknown>>
  /** Path of the object with the events; `hooks` by default. */
  section?: readonly string[] | undefined
}): ConnectionEdit {
  const { file, harness, shape, wanted, top = {}, section } = options
  const isOwn = (handler: unknown) => isOwnHook(handler, harness)
  const missing = (text: string) => {
    const known = readJson(text)
    return Object.keys(top).filter(key => known[key] === undefined)
  }
  return {
    kind: 'hooks',
    file,
    count: wanted.length,
    add: text =>
      behindMark(text, plain => {
        const whole = missing(plain).reduce((current, key) => setIn(current, [key], top[key]), plain)
        return addHooks(whole, shape, wanted, isOwn, section)
      }),
    remove: (text, original) =>
      behindMark(text, plain => {
        const cleared = removeHooks(plain, shape, isOwn, original, section)
        const gone = original === undefined || cleared === plain ? [] : missing(original)
        return gone.reduce((current, key) => removeAt(current, [key]), cleared)
      }),
  }
}

/** Edits hooks that are one entry of a JSON file, with a name of our own. */
export function hookEntryEdit(options: {
  file: string
  harness: string
  path: readonly string[]
  value: unknown
  count: number
}): ConnectionEdit {
  const { harness, ...entry } = options
  return entryEdit({ ...entry, kind: 'hooks', isOwn: found => holdsOwnHook(found, harness) })
}

/** Edits one entry of a JSON file. @param isOwn tells it from one of another program. */
export function entryEdit(options: {
  kind: ConnectionEdit['kind']
  file: string
  path: readonly string[]
  value: unknown
  count?: number
  isOwn?: (found: unknown) => boolean
}): ConnectionEdit {
  const { kind, file, path, value, count, isOwn = () => true } = options
  const foundIn = (text: string) => {
    readJson(text)
    return valueIn(text, path)
  }
  return {
    kind,
    file,
    ...(count !== undefined && { count }),
    add: text =>
      behindMark(text, plain => {
        const found = foundIn(plain)
        if (found !== undefined && !isOwn(found))
          throw faultAt(plain, path, `has another entry "${path.join('.')}"`)
        return isDeepStrictEqual(found, value) ? plain : setIn(plain, path, value)
      }),
    remove: (text, original) =>
      behindMark(text, plain => {
        const found = foundIn(plain)
        return found === undefined || !isOwn(found)
          ? plain
          : withoutEmpty(removeAt(plain, path), path, original)
      }),
  }
}

/** Removes parents of a removed entry that are empty, unless they were there before. */
function withoutEmpty(text: string, path: readonly string[], original = ''): string {
  const parent = path.slice(0, -1)
  const left = valueIn(text, parent)
  if (parent.length === 0 || !isRecord(left) || Object.keys(left).length > 0) return text
  if (valueIn(original, parent) !== undefined) return text
  return withoutEmpty(removeAt(text, parent), parent, original)
}

/** Edits hooks in a TOML file, as entries of its list `hooks`. */
export function tomlHooksEdit(options: {
  file: string
  harness: string
  wanted: readonly TomlHook[]
}): ConnectionEdit {
  const { file, harness, wanted } = options
  const isOwn = (hook: unknown) => isOwnHook(hook, harness)
  return {
    kind: 'hooks',
    file,
    count: wanted.length,
    add: text => addTomlHooks(text, wanted, isOwn),
    remove: (text, original) => removeTomlHooks(text, isOwn, original),
  }
}

/** Edits the list of hooks that a program may run, in a JSON file. */
export function listedHooksEdit(options: {
  file: string
  harness: string
  path: readonly string[]
  wanted: readonly Readonly<Record<string, string>>[]
}): ConnectionEdit {
  const { file, harness, path, wanted } = options
  const isOwn = (hook: unknown) => isOwnHook(hook, harness)
  const listIn = (text: string): unknown[] => {
    const found = valueIn(text, path)
    return Array.isArray(found) ? found : []
  }
  const has = (list: readonly unknown[], hook: (typeof wanted)[number]) =>
    list.some(item => isRecord(item) && Object.keys(hook).every(key => item[key] === hook[key]))
  return {
    kind: 'consent',
    file,
    add: text => {
      const list = listIn(text)
      const own = list.filter(isOwn)
      if (own.length === wanted.length && wanted.every(hook => has(own, hook))) return text
      return setIn(text, path, [...list.filter(item => !isOwn(item)), ...wanted])
    },
    remove: (text, original) => {
      const list = listIn(text)
      const left = list.filter(item => !isOwn(item))
      if (left.length === list.length) return text
      const wasThere = original !== undefined && valueIn(original, path) !== undefined
      return left.length > 0 || wasThere ? setIn(text, path, left) : removeAt(text, path)
    },
  }
}

/** Edits a file that is ours as a whole. @param isOwn tells it from a file of another program. */
export function ownFileEdit(options: {
  kind: 'hooks' | 'plugin'
  file: string
  content: () => string
  isOwn: (text: string) => boolean
  count?: number
}): ConnectionEdit {
  const { kind, file, content, isOwn, count } = options
  return {
    kind,
    file,
    ...(count !== undefined && { count }),
    add: text => {
      if (text.trim() !== '' && !isOwn(text))
        throw new MergeFault(1, `is a ${kind === 'plugin' ? kind : 'file'} of another program`)
      return content()
    },
    remove: text => (isOwn(text) ? undefined : text),
  }
}

/** Edits our MCP server in a JSON file. @param top as in `hooksEdit`, for a new file only. */
export function serverEdit(options: {
  file: string
  section: (text: string) => readonly string[]
  value: Record<string, unknown>
  install: Pick<Install, 'ownOrigins'>
  top?: Readonly<Record<string, unknown>>
  without?: readonly string[]
}): ConnectionEdit {
  const { file, section, value, install, top = {}, without = [] } = options
  const isOwn = (server: unknown) => isOwnServer(server, install.ownOrigins)
  const begin = (text: string) =>
    text.trim() === ''
      ? Object.entries(top).reduce((current, [key, item]) => setIn(current, [key], item), text)
      : text
  return {
    kind: 'MCP server',
    file,
    add: text =>
      behindMark(text, plain => addServer(begin(plain), section(plain), { value, isOwn, without })),
    remove: (text, original) =>
      behindMark(text, plain => removeServer(plain, section(plain), isOwn, original)),
  }
}

/** Edits our MCP server in Codex's config.toml. */
export function tomlServerEdit(
  file: string,
  value: Record<string, unknown>,
  { ownOrigins }: Pick<Install, 'ownOrigins'>,
): ConnectionEdit {
  const isOwn = (server: unknown) => isOwnServer(server, ownOrigins)
  return {
    kind: 'MCP server',
    file,
    add: text => addTomlServer(text, { value, isOwn }),
    remove: (text, original) => removeTomlServer(text, isOwn, original),
  }
}

/**
 * Returns command handlers in the form of Claude Code, Codex and Gemini CLI; Cursor's form lacks the type.
 */
export function commandHooks(
  events: readonly HookEvent[],
  install: Pick<Install, 'hookCommand' | 'toolHooks'>,
  fields: (event: HookEvent) => Record<string, unknown> = () => ({}),
): WantedHook[] {
  return wantedEvents(events, install).map(one => ({
    event: one.event,
    matcher: one.matcher,
    handler: { type: 'command', ...fields(one), ...install.hookCommand(one.hook), timeout: one.timeout },
  }))
}

/** Returns `command` and `args` of a server entry that starts a process. */
export function serverCommand({ mcpWords }: Pick<Install, 'mcpWords'>): Record<string, unknown> {
  const [command, ...args] = mcpWords
  return { command, args }
}
