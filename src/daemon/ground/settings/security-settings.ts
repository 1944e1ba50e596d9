import { isDeepStrictEqual } from 'node:util'
import { isRecord, valueAt } from '../../../lib/text/json-of.js'

/** Values of a settings file before defaults. */
export type GivenValues = Record<string, unknown>

/**
 * Settings that decide who may call the daemon, where texts and secrets go, and what is installed. Changes
 * that a git remote brings wait until a person accepts them (operations.md 1.7).
 */
const guarded: readonly (readonly string[])[] = [
  ['auth'],
  ['daemon', 'host'],
  ['embedding'],
  ['inference'],
  ['secrets'],
  ['sources'],
  ['messages'],
  ['documents'],
  ['storage'],
  ['git'],
  ['update'],
  ['telemetry', 'delivery'],
  ['dreaming', 'useProvider'],
  ['recall', 'summary'],
  ['recall', 'reranking'],
  ['contextProfiles'],
  ['harnessProfiles'],
  ['projects'],
  ['backup', 'folder'],
  ['backup', 'recipients'],
]

/** Returns the security settings among given values. */
export function securityPart(given: unknown): GivenValues {
  const part: GivenValues = {}
  for (const path of guarded) {
    const value = valueAt(given, path)
    if (value !== undefined) setAt(part, path, structuredClone(value))
  }
  return part
}

/** Returns given values with other security settings. */
export function withSecurityPart(given: unknown, part: GivenValues): GivenValues {
  const values = isRecord(given) ? structuredClone(given) : {}
  for (const path of guarded) setAt(values, path, structuredClone(valueAt(part, path)))
  return values
}

/** A difference between two settings; undefined where one has no value. */
export interface SettingDifference {
  path: readonly string[]
  before: unknown
  after: unknown
}

/** Lists the security settings that differ. */
export function securityDifferences(before: unknown, after: unknown): SettingDifference[] {
  return guarded.flatMap(path => differences(valueAt(before, path), valueAt(after, path), path))
}

/** Dotted keys of the guarded settings that differ, with their later values. */
export function changedGuarded(before: unknown, after: unknown): Record<string, unknown> {
  const changed = guarded.filter(
    path => differences(valueAt(before, path), valueAt(after, path), path).length > 0,
  )
  return Object.fromEntries(changed.map(path => [path.join('.'), valueAt(after, path)]))
}

/** Lists the values that differ between two settings; no value and an empty section are equal. */
export function differences(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): SettingDifference[] {
  const [old, now] = [before === undefined ? {} : before, after === undefined ? {} : after]
  if (isRecord(old) && isRecord(now)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()
    return keys.flatMap(key => differences(ownValue(old, key), ownValue(now, key), [...path, key]))
  }
  return isDeepStrictEqual(before, after) ? [] : [{ path, before, after }]
}

/**
 * Returns security settings with the changes that a person made from one text of agent.yaml to the next.
 * Changes that wait in both texts keep waiting.
 */
export function withPersonsChanges(part: GivenValues, before: unknown, after: unknown): GivenValues {
  const next = structuredClone(part)
  for (const { path, after: value } of securityDifferences(before, after))
    setAt(next, path, structuredClone(value))
  return next
}

function ownValue(values: GivenValues, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** Sets a value; undefined removes it. */
export function setAt(values: GivenValues, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) {
    if (value === undefined) delete values[key]
    else define(values, key, value)
    return
  }
  const inner = ownValue(values, key)
  if (!isRecord(inner) && value === undefined) return
  const next = isRecord(inner) ? inner : {}
  define(values, key, next)
  setAt(next, rest, value)
}

/** A key such as `__proto__` becomes a plain property. */
function define(values: GivenValues, key: string, value: unknown): void {
  Object.defineProperty(values, key, { value, enumerable: true, configurable: true, writable: true })
}
