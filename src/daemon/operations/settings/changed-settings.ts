import type { SettingsCheck } from '../../../contract/operations/settings-file.js'

/** Each setting that differs between two wholes, by its dotted key; values as JSON, a list as one value. */
export function changedSettings(before: object, after: object): SettingsCheck['changes'] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort()
  return keys
    .map(key => ({ key, before: old.get(key) ?? null, after: now.get(key) ?? null }))
    .filter(change => change.before !== change.after)
}

function valuesOf(value: unknown, path = ''): Map<string, string> {
  if (value === undefined) return new Map()
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]])
  return new Map(
    Object.entries(value).flatMap(([key, one]) => [...valuesOf(one, path === '' ? key : `${path}.${key}`)]),
  )
}
