import type { ConnectionEdit, Install } from './harness.js'
import { appendTo, removeAt } from './json-edit.js'
import { behindMark, type JsonPath, valueIn } from './json-text.js'
import { listOf, nameOfServer, serverNames } from './mcp-entries.js'
import { MergeFault } from './merge-fault.js'
import { isOwnServer } from './own-entries.js'

interface PermissionOptions {
  file: string
  /** Path of the list of rules. */
  path: readonly string[]
  /** Location of our server's entry, whose name the rule contains. */
  server: { file: string; section: readonly string[] }
  rule: (serverName: string) => string
  install: Pick<Install, 'allowTools' | 'read' | 'ownOrigins'>
}

/** Edits the rule that lets a harness call our tools without asking, in a list of rules in a JSON file. */
export function permissionEdit({ file, path, server, rule, install }: PermissionOptions): ConnectionEdit {
  const { name, isThere } = ownName(server, install)
  const wanted = rule(name)
  return {
    kind: 'permission',
    file,
    add: text =>
      behindMark(text, plain => {
        if (install.allowTools === undefined) return plain
        if (!install.allowTools) return withoutRule(plain, path, wanted)
        return rulesIn(plain, path).includes(wanted) ? plain : appendTo(plain, path, wanted)
      }),
    // Without an entry of our server, the rule belongs to another one.
    remove: (text, original) =>
      isThere || install.allowTools
        ? behindMark(text, plain => withoutRule(plain, path, wanted, original))
        : text,
  }
}

function ownName(
  { file, section }: PermissionOptions['server'],
  { read, ownOrigins }: PermissionOptions['install'],
): { name: string; isThere: boolean } {
  const servers = valueIn(read(file), section)
  try {
    const { name, found } = nameOfServer((servers ?? {}) as Record<string, unknown>, one =>
      isOwnServer(one, ownOrigins),
    )
    return { name, isThere: found !== undefined }
  } catch (error) {
    // The edit that adds the server reports this fault for the right file.
    if (error instanceof MergeFault) return { name: serverNames[0], isThere: false }
    throw error
  }
}

/**
 * Removes a rule with the lists and objects that become empty, unless `original` had them. A rule in
 * `original` is kept.
 */
function withoutRule(text: string, path: readonly string[], rule: string, original?: string): string {
  const position = rulesIn(text, path).indexOf(rule)
  if (position < 0 || (original !== undefined && rulesIn(original, path).includes(rule))) return text
  const steps = path.map((_, index) => path.slice(0, path.length - index))
  return steps.reduce(
    (current, step) =>
      isEmptyAt(current, step) && !isThere(original, step) ? removeAt(current, step) : current,
    removeAt(text, [...path, position]),
  )
}

function rulesIn(text: string, path: JsonPath): unknown[] {
  return listOf(valueIn(text, path))
}

function isEmptyAt(text: string, path: JsonPath): boolean {
  const value = valueIn(text, path)
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isThere(original: string | undefined, path: JsonPath): boolean {
  return original !== undefined && valueIn(original, path) !== undefined
}
