import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/is-record.js'
import { appendTo, removeAt, setIn } from './json-edit.js'
import { faultAt, type JsonPath, readJson } from './json-text.js'

type Fields = Record<string, unknown>

/** One hook that a harness shall have. */
export interface WantedHook {
  event: string
  /** Of the group around the handler; only where handlers stand in groups. */
  matcher?: string
  handler: Fields
}

/**
 * How a harness lists hooks below `hooks.<Event>`: groups `{ matcher?, hooks: [handler] }` (Claude Code, Codex, Gemini
 * CLI), or handlers alone (Cursor).
 */
export type HookShape = 'grouped' | 'flat'

interface FoundHook {
  event: string
  /** Of the handler. */
  path: JsonPath
  handler: Fields
  /** Position of the group, its matcher, and whether nobody else is in it. */
  group?: { path: JsonPath; matcher: unknown; isOwn: boolean }
}

/**
 * The text with exactly these hooks of ours: missing ones go to the end of their event's list, outdated ones change
 * where they are, ones of ours that are no longer wanted go. Entries of others stay byte for byte.
 * @throws MergeFault when the text does not parse or `hooks` has another shape.
 */
export function addHooks(
  text: string,
  shape: HookShape,
  wanted: readonly WantedHook[],
  isOwn: (handler: unknown) => boolean,
): string {
  const found = findHooks(text, shape, isOwn)
  const kept = wanted.flatMap(({ event }) => found.find(hook => hook.event === event) ?? [])
  const gone = found.filter(hook => !kept.includes(hook))
  const cleaned = removeEmptied(removeFound(text, gone), gone)
  return wanted.reduce((current, hook) => addHook(current, shape, hook, isOwn), cleaned)
}

/**
 * The text without hooks of ours; lists and objects that are empty then go too, unless `original`, the text from
 * before we came, had them.
 * @throws MergeFault as `addHooks`.
 */
export function removeHooks(
  text: string,
  shape: HookShape,
  isOwn: (handler: unknown) => boolean,
  original?: string,
): string {
  const found = findHooks(text, shape, isOwn)
  if (found.length === 0) return text
  const before = (original === undefined ? {} : readJson(original).hooks) as Fields | undefined
  const ours = found.filter(({ event }) => before?.[event] === undefined)
  const shorter = removeEmptied(removeFound(text, found), ours)
  const isLeft = original !== undefined && before !== undefined
  return isEmpty(readJson(shorter).hooks) && !isLeft ? removeAt(shorter, ['hooks']) : shorter
}

/** Hooks of ours by event, in the order of the file. @throws MergeFault. */
export function findHooks(text: string, shape: HookShape, isOwn: (handler: unknown) => boolean): FoundHook[] {
  const { hooks } = readJson(text)
  if (hooks === undefined) return []
  if (!isRecord(hooks)) throw faultAt(text, ['hooks'], 'has "hooks" that are no object')
  return Object.entries(hooks).flatMap(([event, list]) => {
    if (!Array.isArray(list)) return []
    return list.flatMap((entry: unknown, position) => {
      const path = ['hooks', event, position]
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
): string {
  const found = findHooks(text, shape, isOwn).find(hook => hook.event === event)
  if (!found) {
    const entry = shape === 'flat' ? handler : { ...(matcher !== undefined && { matcher }), hooks: [handler] }
    return appendTo(text, ['hooks', event], entry)
  }
  const current = updateHandler(text, found, handler)
  const { group } = found
  if (!group?.isOwn || group.matcher === matcher) return current
  const path = [...group.path, 'matcher']
  return matcher === undefined ? removeAt(current, path) : setIn(current, path, matcher)
}

/** Sets what differs; what a person added to the entry stays, unless it is of another kind altogether. */
function updateHandler(text: string, { path, handler: found }: FoundHook, handler: Fields): string {
  if (found.type !== handler.type) return setIn(text, path, handler)
  return Object.entries(handler).reduce(
    (current, [key, value]) =>
      isDeepStrictEqual(found[key], value) ? current : setIn(current, [...path, key], value),
    text,
  )
}

/** From the last one on, so that the positions of the others stay right; a group without handlers goes as a whole. */
function removeFound(text: string, found: readonly FoundHook[]): string {
  return found.toReversed().reduce((current, { path, group }) => {
    const shorter = removeAt(current, path)
    return group && isEmpty(at(readJson(shorter), [...group.path, 'hooks']))
      ? removeAt(shorter, group.path)
      : shorter
  }, text)
}

/** Lists that lost their last hook with these ones go. */
function removeEmptied(text: string, removed: readonly FoundHook[]): string {
  const events = new Set(removed.map(({ event }) => event))
  const emptied = [...events].filter(event => isEmpty(at(readJson(text), ['hooks', event])))
  return emptied.reduce((current, event) => removeAt(current, ['hooks', event]), text)
}

function at(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((current, key) => (current as Record<string | number, unknown>)?.[key], value)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
