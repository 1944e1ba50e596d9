import { isDeepStrictEqual } from 'node:util'
import { isRecord, valueAt } from '../../../../lib/text/json-of.js'
import type { ConnectionEdit, Install } from './harness.js'
import { nameOfServer, outdatedKeys } from './mcp-entries.js'
import { isOwnHook, isOwnServer } from './own-entries.js'
import { addYaml, readYaml, removeYaml } from './yaml-edit.js'

type Fields = Record<string, unknown>

/** One of our hooks in the list of its event. */
export interface YamlHook {
  event: string
  command: string
  timeout: number
}

/** Edits hooks in a YAML file with a list for each event; outdated ones of ours are replaced. */
export function yamlHooksEdit(options: {
  file: string
  harness: string
  wanted: readonly YamlHook[]
}): ConnectionEdit {
  const { file, harness, wanted } = options
  const isOwn = (hook: unknown) => isOwnHook(hook, harness)
  const ownIn = (text: string, event: string) => {
    const list = valueAt(readYaml(text), ['hooks', event])
    return Array.isArray(list) ? list.filter(isOwn) : []
  }
  const without = (text: string, isGone: (event: string) => boolean, original?: string) => {
    const { hooks } = readYaml(text)
    const events = isRecord(hooks) ? Object.keys(hooks).filter(isGone) : []
    return events.reduce(
      (current, event) =>
        ownIn(current, event).length > 0
          ? removeYaml(current, ['hooks', event], { isOwn, original })
          : current,
      text,
    )
  }
  const isObsolete = (event: string) => !wanted.some(hook => hook.event === event)
  return {
    kind: 'hooks',
    file,
    count: wanted.length,
    add: text =>
      wanted.reduce(
        (current, { event, ...hook }) => {
          if (isDeepStrictEqual(ownIn(current, event), [hook])) return current
          const cleared = removeYaml(current, ['hooks', event], { isOwn, original: text })
          return addYaml(cleared, ['hooks', event], [hook])
        },
        without(text, isObsolete),
      ),
    remove: (text, original) =>
      asOpen(
        without(text, () => true, original),
        original,
      ),
  }
}

/** Edits our MCP server in a YAML file. */
export function yamlServerEdit(options: {
  file: string
  section: readonly string[]
  value: Fields
  install: Pick<Install, 'ownOrigins'>
  /** Names that the client keeps for itself. */
  unusable?: readonly string[]
}): ConnectionEdit {
  const { file, section, value, install, unusable = [] } = options
  const isOwn = (server: unknown) => isOwnServer(server, install.ownOrigins)
  const serversIn = (text: string): Fields => {
    const found = valueAt(readYaml(text), section)
    return isRecord(found) ? found : {}
  }
  const clear = (text: string, original?: string) => {
    const names = Object.entries(serversIn(text)).flatMap(([name, server]) => (isOwn(server) ? [name] : []))
    return names.reduce((current, name) => removeYaml(current, [...section, name], { original }), text)
  }
  return {
    kind: 'MCP server',
    file,
    add: text => {
      const { name, found } = nameOfServer(serversIn(text), isOwn, unusable)
      if (found && outdatedKeys(found, value).length === 0) return text
      // Keys of the user are kept.
      return addYaml(clear(text, text), [...section, name], { ...found, ...value })
    },
    remove: (text, original) => asOpen(clear(text, original), original),
  }
}

/** The last line had no end before ours followed it. */
function asOpen(text: string, original: string | undefined): string {
  const wasOpen = original !== undefined && original !== '' && !original.endsWith('\n')
  return wasOpen && text.replace(/\r?\n$/u, '') === original ? original : text
}
