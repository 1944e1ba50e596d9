import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../../lib/text/is-record.js'
import { removeAt, setIn } from './json-edit.js'
import { faultAt, readJson } from './json-text.js'
import { MergeFault } from './merge-fault.js'

type Fields = Record<string, unknown>

/** What an MCP client shall know of our server. */
export interface WantedServer {
  value: Fields
  isOwn: (server: unknown) => boolean
  /** Keys that it shall not have. */
  without?: readonly string[]
}

/** Names that our server takes, the second when somebody else's server has the first. */
export const serverNames = ['memory', 'memory-service'] as const

/** The name that our server has among these, or the one that it would get. @throws MergeFault when none is free. */
export function nameOfServer(
  servers: Fields,
  isOwn: (server: unknown) => boolean,
): { name: string; found?: Fields } {
  const known = Object.keys(servers).find(name => isOwn(servers[name]))
  if (known !== undefined) return { name: known, found: servers[known] as Fields }
  const free = serverNames.find(name => servers[name] === undefined)
  if (free) return { name: free }
  throw new MergeFault(0, `has MCP servers of others under the names ${serverNames.join(' and ')}`)
}

/**
 * What of a wanted entry differs in the one that is there. Further arguments, and keys that we do not set, are the
 * person's own; so are whether the server is enabled, and which of its tools.
 */
export function outdatedKeys(found: Fields, wanted: Fields): string[] {
  return Object.keys(wanted).filter(key => {
    if (key === 'enabled' || key === 'tools') return false
    const [has, needs] = [found[key], wanted[key]]
    if (key === 'env_vars') return missingNames(has, needs).length > 0
    // Arguments belong to the program that takes them.
    const isOfAnother = key === 'args' && found.command !== wanted.command
    if (Array.isArray(needs) && !isOfAnother) {
      return !isDeepStrictEqual((Array.isArray(has) ? has : []).slice(0, needs.length), needs)
    }
    if (isRecord(needs)) return outdatedKeys(isRecord(has) ? has : {}, needs).length > 0
    return !isDeepStrictEqual(has, needs)
  })
}

/** Names of variables to hand on that a list lacks; a name stands there alone, or in an object that says more. */
export function missingNames(has: unknown, needs: unknown): unknown[] {
  const known = new Set(listOf(has).map(item => (isRecord(item) ? item.name : item)))
  return listOf(needs).filter(name => !known.has(name))
}

/** Whether an entry reaches its server as another does: both start it, or both name its address. */
export function isSameKind(one: Fields, other: Fields): boolean {
  return (one.command === undefined) === (other.command === undefined)
}

/**
 * The text with our server below `section`; one of ours that is there changes in place, one of somebody else keeps
 * its name. @throws MergeFault.
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

/** An object that is there gets what differs, whatever else a person wrote there. */
function update(text: string, path: readonly string[], has: unknown, needs: unknown): string {
  if (!isRecord(has) || !isRecord(needs)) return setIn(text, path, needs)
  return outdatedKeys(has, needs).reduce((current, key) => setIn(current, [...path, key], needs[key]), text)
}

/**
 * The text without our server; a section that is empty then goes too, unless `original` had it. @throws MergeFault.
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

/** Servers by name; none when the section is missing. @throws MergeFault when it is no object. */
export function serversIn(text: string, section: readonly string[]): Fields {
  const value = sectionOf(readJson(text), section)
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw faultAt(text, section, `has "${section.join('.')}" that is no object`)
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function sectionOf(root: Fields, section: readonly string[]): unknown {
  return section.reduce<unknown>((value, key) => (value as Fields | undefined)?.[key], root)
}
