import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/json-of.js'
import { removeAt, setIn } from './json-edit.js'
import { faultAt, readJson } from './json-text.js'
import { MergeFault } from './merge-fault.js'

type Fields = Record<string, unknown>

/** The entry of our server for an MCP client. */
export interface WantedServer {
  value: Fields
  isOwn: (server: unknown) => boolean
  /** Keys to remove. */
  without?: readonly string[]
}

/** Names of our server; the second is used if the first belongs to another server. */
export const serverNames = ['memory', 'memory-service'] as const

/**
 * Returns the current or future name of our server.
 * @param unusable names that the client keeps for itself. @throws MergeFault if no name is free.
 */
export function nameOfServer(
  servers: Fields,
  isOwn: (server: unknown) => boolean,
  unusable: readonly string[] = [],
): { name: string; found?: Fields } {
  const known = Object.keys(servers).find(name => isOwn(servers[name]) && !unusable.includes(name))
  if (known !== undefined) return { name: known, found: servers[known] as Fields }
  const free = serverNames.find(name => servers[name] === undefined && !unusable.includes(name))
  if (free) return { name: free }
  throw new MergeFault(0, `has other MCP servers with the names ${serverNames.join(' and ')}`)
}

/**
 * Returns the keys of an existing entry that differ from the wanted one. Additional arguments, keys that we
 * do not set, and the choice of tools belong to the user, as does disabling the server.
 */
export function outdatedKeys(found: Fields, wanted: Fields): string[] {
  return Object.keys(wanted).filter(key => {
    if (key === 'enabled' || key === 'tools') return false
    const [has, needs] = [found[key], wanted[key]]
    if (key === 'env_vars') return missingNames(has, needs).length > 0
    // Arguments of another program do not carry over.
    const isOfAnother = key === 'args' && found.command !== wanted.command
    if (Array.isArray(needs) && !isOfAnother) {
      return !isDeepStrictEqual((Array.isArray(has) ? has : []).slice(0, needs.length), needs)
    }
    if (isRecord(needs)) return outdatedKeys(isRecord(has) ? has : {}, needs).length > 0
    return !isDeepStrictEqual(has, needs)
  })
}

/** Returns names of variables that a list lacks; an item is a name, or an object with a name. */
export function missingNames(has: unknown, needs: unknown): unknown[] {
  const known = new Set(listOf(has).map(item => (isRecord(item) ? item.name : item)))
  return listOf(needs).filter(name => !known.has(name))
}

/** Returns true if two entries use the same transport: both start a process, or both have a URL. */
export function isSameKind(one: Fields, other: Fields): boolean {
  return (one.command === undefined) === (other.command === undefined)
}

/**
 * Returns the text with our server below `section`. An existing entry of ours is changed in place; other
 * servers keep their names. @throws MergeFault.
 */
export function addServer(
  text: string,
  section: readonly string[],
  { value, isOwn, without = [] }: WantedServer,
): string {
  const { name, found } = nameOfServer(serversIn(text, section), isOwn)
  const path = [...section, name]
  if (!found) return setIn(text, path, value)
  const outdated = outdatedKeys(found, value)
  if (outdated.length > 0 && !isSameKind(found, value)) return setIn(text, path, value)
  const cleared = without.reduce((current, key) => removeAt(current, [...path, key]), text)
  return outdated.reduce((current, key) => update(current, [...path, key], found[key], value[key]), cleared)
}

/** Updates only differing keys of an existing object; all other content is kept. */
function update(text: string, path: readonly string[], has: unknown, needs: unknown): string {
  if (!isRecord(has) || !isRecord(needs)) return setIn(text, path, needs)
  return outdatedKeys(has, needs).reduce((current, key) => setIn(current, [...path, key], needs[key]), text)
}

/**
 * Returns the text without our server. A section that becomes empty is removed, unless `original` had it.
 * @throws MergeFault.
 */
export function removeServer(
  text: string,
  section: readonly string[],
  isOwn: (server: unknown) => boolean,
  original?: string,
): string {
  const servers = serversIn(text, section)
  const names = Object.keys(servers).filter(name => isOwn(servers[name]))
  if (names.length === 0) return text
  const shorter = names.reduce((current, name) => removeAt(current, [...section, name]), text)
  const isLeft = Object.keys(servers).length > names.length
  const wasThere = original !== undefined && sectionOf(readJson(original), section) !== undefined
  return isLeft || wasThere ? shorter : removeAt(shorter, section)
}

/** Returns servers by name; empty if the section is missing. @throws MergeFault if it is not an object. */
export function serversIn(text: string, section: readonly string[]): Fields {
  const value = sectionOf(readJson(text), section)
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw faultAt(text, section, `has a "${section.join('.')}" value that is not an object`)
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function sectionOf(root: Fields, section: readonly string[]): unknown {
  return section.reduce<unknown>((value, key) => (value as Fields | undefined)?.[key], root)
}
