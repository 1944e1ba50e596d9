import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/json-of.js'
import { appendTo, removeAt, setIn } from './json-edit.js'
import { faultAt, type JsonPath, readJson } from './json-text.js'

type Fields = Record<string, unknown>

/** A hook to install in a harness. */
export interface WantedHook {
  event: string
  /** Matcher of the group around the handler; only for grouped handlers. */
  matcher?: string
  handler: Fields
}

/** Path of the object with the events; Factory Droid has them at the top. */
const usualSection: JsonPath = ['hooks']

/**
 * Structure below `hooks.<Event>`: groups `{ matcher?, hooks: [handler] }` (Claude Code, Codex, Gemini CLI),
 * or plain handlers (Cursor).
 */
export type HookShape = 'grouped' | 'flat'

interface FoundHook {
  event: string
  /** Path of the handler. */
  path: JsonPath
  handler: Fields
  /** Position of the group, its matcher, and true if it contains only this handler. */
  group?: { path: JsonPath; matcher: unknown; isOwn: boolean }
}

/**
 * Returns the text with exactly these hooks of ours: missing ones are appended to their event's list,
 * outdated ones are changed in place, obsolete ones are removed. Other entries are unchanged byte for byte.
 * @throws MergeFault if the text does not parse or `hooks` has another structure.
 */
export function addHooks(
  text: string,
  shape: HookShape,
  wanted: readonly WantedHook[],
  isOwn: (handler: unknown) => boolean,
  section = usualSection,
): string {
  const found = findHooks(text, shape, isOwn, section)
  const kept = wanted.flatMap(({ event }) => found.find(hook => hook.event === event) ?? [])
  const gone = found.filter(hook => !kept.includes(hook))
  const cleaned = removeEmptied(removeFound(text, gone), gone, section)
  return wanted.reduce((current, hook) => addHook(current, shape, hook, isOwn, section), cleaned)
}

/**
 * Returns the text without our hooks. Lists and objects that become empty are removed too, unless `original`,
 * the text before we connected, had them.
 * @throws MergeFault like `addHooks`.
 */
export function removeHooks(
  text: string,
  shape: HookShape,
  isOwn: (handler: unknown) => boolean,
  original?: string,
  section = usualSection,
): string {
  const found = findHooks(text, shape, isOwn, section)
  if (found.length === 0) return text
  const before = (original === undefined ? {} : at(readJson(original), section)) as Fields | undefined
  const ours = found.filter(({ event }) => before?.[event] === undefined)
  const shorter = removeEmptied(removeFound(text, found), ours, section)
  const isLeft = section.length === 0 || (original !== undefined && before !== undefined)
  return isEmpty(at(readJson(shorter), section)) && !isLeft ? removeAt(shorter, section) : shorter
}

/** Finds our hooks by event, in the order of the file. @throws MergeFault. */
export function findHooks(
  text: string,
  shape: HookShape,
  isOwn: (handler: unknown) => boolean,
  section = usualSection,
): FoundHook[] {
  const hooks = at(readJson(text), section)
  if (hooks === undefined) return []
  if (!isRecord(hooks))
    throw faultAt(text, section, `has a "${section.join('.')}" value that is not an object`)
  return Object.entries(hooks).flatMap(([event, list]) => {
    if (!Array.isArray(list)) return []
    return list.flatMap((entry: unknown, position) => {
      const path = [...section, event, position]
      if (shape === 'flat') return isRecord(entry) && isOwn(entry) ? [{ event, path, handler: entry }] : []
      return inGroup(event, path, entry, isOwn)
    })
  })
}

function inGroup(
  event: string,
  path: JsonPath,
  entry: unknown,
  isOwn: (handler: unknown) => boolean,
): FoundHook[] {
  if (!isRecord(entry) || !Array.isArray(entry.hooks)) return []
  const handlers = entry.hooks as unknown[]
  const group = { path, matcher: entry.matcher, isOwn: handlers.every(isOwn) }
  return handlers.flatMap((handler, position) =>
    isRecord(handler) && isOwn(handler)
      ? [{ event, path: [...path, 'hooks', position], handler, group }]
      : [],
  )
}

function addHook(
  text: string,
  shape: HookShape,
  { event, matcher, handler }: WantedHook,
  isOwn: (handler: unknown) => boolean,
  section: JsonPath,
): string {
  const found = findHooks(text, shape, isOwn, section).find(hook => hook.event === event)
  if (!found) {
    const entry = shape === 'flat' ? handler : { ...(matcher !== undefined && { matcher }), hooks: [handler] }
    return appendTo(text, [...section, event], entry)
  }
  const current = updateHandler(text, found, handler)
  const { group } = found
  if (!group?.isOwn || group.matcher === matcher) return current
  const path = [...group.path, 'matcher']
  return matcher === undefined ? removeAt(current, path) : setIn(current, path, matcher)
}

/** Updates differing fields; a person's additions to the entry are kept, unless its type differs. */
function updateHandler(text: string, { path, handler: found }: FoundHook, handler: Fields): string {
  if (found.type !== handler.type) return setIn(text, path, handler)
  return Object.entries(handler).reduce(
    (current, [key, value]) =>
      isDeepStrictEqual(found[key], value) ? current : setIn(current, [...path, key], value),
    text,
  )
}

/**
 * Removes from last to first, so that positions remain valid; a group without handlers is removed entirely.
 */
function removeFound(text: string, found: readonly FoundHook[]): string {
  return found.toReversed().reduce((current, { path, group }) => {
    const shorter = removeAt(current, path)
    return group && isEmpty(at(readJson(shorter), [...group.path, 'hooks']))
      ? removeAt(shorter, group.path)
      : shorter
  }, text)
}

/** Removes lists that have become empty. */
function removeEmptied(text: string, removed: readonly FoundHook[], section: JsonPath): string {
  const events = new Set(removed.map(({ event }) => event))
  const emptied = [...events].filter(event => isEmpty(at(readJson(text), [...section, event])))
  return emptied.reduce((current, event) => removeAt(current, [...section, event]), text)
}

function at(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (current, key) => (current as Record<string | number, unknown> | undefined)?.[key],
    value,
  )
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
