import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { jsonOf } from '../../../../lib/text/json-of.js'
import {
  commandHooks,
  type HookEvent,
  hookEntryEdit,
  hooksEdit,
  ownFileEdit,
  serverCommand,
  serverEdit,
  tomlHooksEdit,
  tomlServerEdit,
  wantedEvents,
} from '../entries/connection-edits.js'
import type {
  ConnectionEdit,
  Harness,
  HarnessName,
  Install,
  Obstacle,
  PluginSource,
  ReadFile,
} from '../entries/harness.js'
import { valueIn } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { holdsOwnHook, pluginMark } from '../entries/own-entries.js'
import type { TomlHook } from '../entries/toml-entries.js'
import { type YamlHook, yamlHooksEdit, yamlServerEdit } from '../entries/yaml-entries.js'

/** The place of a file: below the harness's folder, below the project's, or elsewhere. */
interface FilePlace {
  /** Below the folder of the harness; of several the first that exists, else the first. */
  user?: readonly string[]
  /** Below the folder of a project; without it a project has no such file. */
  project?: string
  /** The user's file outside of that folder. */
  elsewhere?: (machine: Machine) => string
}

/** An agent as a row of a table: its names, its files, and the form of its entries. */
export interface AgentRow {
  name: HarnessName
  title: string
  aliases?: readonly string[]
  binaries?: readonly string[]
  /** Usually started from a desktop. */
  isGraphical?: true
  home: (machine: Machine) => string
  hooks?: FilePlace & {
    events: readonly HookEvent[]
    /** `tables` are entries of the list `hooks` in TOML, `lists` have one for each event in YAML. */
    shape: 'grouped' | 'flat' | 'tables' | 'lists'
    /** Path of the object with the events; `hooks` by default. */
    section?: readonly string[]
    /** The same in the project's file. */
    projectSection?: readonly string[]
    top?: Readonly<Record<string, unknown>>
    /** The user's settings that count instead while they have hooks and the file is missing. */
    settings?: string
    /** The value at `section`, or of the whole file if that is empty; it is ours alone. */
    whole?: (install: Install, events: readonly HookEvent[]) => unknown
  }
  plugin?: FilePlace & { source: PluginSource }
  mcp?: FilePlace & {
    section: readonly string[]
    format?: 'json' | 'toml' | 'yaml'
    /** Names that it keeps for itself, in YAML. */
    unusable?: readonly string[]
    /** Keys before and after the command. */
    before?: Readonly<Record<string, unknown>>
    after?: Readonly<Record<string, unknown>>
    /** The whole entry, if it is not `command` and `args`. */
    entry?: (install: Install) => Record<string, unknown>
  }
  /** The key that lets it call our tools without asking. */
  trustKey?: string
  /** The switch that disables all hooks, in the file of hooks. */
  switchedOff?: { path: readonly string[]; value: boolean }
  /** Other entries that it needs. */
  more?: (machine: Machine, install: Install, events: readonly HookEvent[]) => ConnectionEdit[]
  hints?: readonly string[]
}

/** Returns the harness that a row describes. */
export function fromRow(row: AgentRow): Harness {
  const { name, title, aliases = [], binaries = [], isGraphical = false, trustKey, hints = [] } = row
  return {
    name,
    title,
    aliases,
    binaries,
    isGraphical,
    transports: ['command'],
    ...(trustKey && { asksForTools: true as const }),
    ...(row.plugin && { plugin: row.plugin.source }),
    home: row.home,
    edits: (machine, install) => {
      const events = wantedEvents(row.hooks?.events ?? [], install)
      return [
        ...hooksOf(row, machine, install, events),
        ...pluginOf(row, machine, install),
        ...(row.more?.(machine, install, events) ?? []),
        ...serverOf(row, machine, install),
      ]
    },
    hints: () => [`restart ${title} to activate memory`, ...hints],
    obstacles: (machine, scope, read) => obstaclesOf(row, fileOf(row, row.hooks, machine, scope), read),
  }
}

function hooksOf(
  row: AgentRow,
  machine: Machine,
  install: Install,
  events: readonly HookEvent[],
): ConnectionEdit[] {
  const { hooks, name } = row
  const file = fileOf(row, hooks, machine, install.scope)
  if (!hooks || file === undefined) return []
  const { shape, top, whole } = hooks
  const section = install.scope === 'project' ? (hooks.projectSection ?? hooks.section) : hooks.section
  if (whole) return [wholeEdit({ file, name, path: section ?? [], value: whole(install, events), events })]
  if (shape === 'lists') return [yamlHooksEdit({ file, harness: name, wanted: listsOf(events, install) })]
  if (shape === 'tables') return [tomlHooksEdit({ file, harness: name, wanted: tablesOf(events, install) })]
  const wanted = commandHooks(events, install)
  const settings = hooks.settings && install.scope === 'user' ? join(row.home(machine), hooks.settings) : ''
  if (settings && !existsSync(file) && valueIn(install.read(settings), ['hooks']) !== undefined)
    return [hooksEdit({ file: settings, harness: name, shape, wanted })]
  return [hooksEdit({ file, harness: name, shape, wanted, ...(top && { top }), section })]
}

function pluginOf(row: AgentRow, machine: Machine, install: Install): ConnectionEdit[] {
  const file = fileOf(row, row.plugin, machine, install.scope)
  if (file === undefined) return []
  const isOwn = (text: string) => text.startsWith(pluginMark(row.title))
  return [ownFileEdit({ kind: 'plugin', file, content: install.pluginText, isOwn })]
}

function listsOf(events: readonly HookEvent[], install: Install): YamlHook[] {
  return events.map(({ event, hook, timeout }) => ({
    event,
    command: install.hookCommand(hook).command,
    timeout,
  }))
}

function tablesOf(events: readonly HookEvent[], install: Install): TomlHook[] {
  return events.map(({ event, matcher, hook, timeout }) => ({
    event,
    ...(matcher !== undefined && { matcher }),
    command: install.hookCommand(hook).command,
    timeout,
  }))
}

function wholeEdit(options: {
  file: string
  name: HarnessName
  path: readonly string[]
  value: unknown
  events: readonly HookEvent[]
}): ConnectionEdit {
  const { file, name, path, value, events } = options
  const count = events.length
  if (path.length > 0) return hookEntryEdit({ file, harness: name, path, value, count })
  return ownFileEdit({
    kind: 'hooks',
    file,
    count,
    content: () => `${JSON.stringify(value, null, 2)}\n`,
    isOwn: text => holdsOwnHook(jsonOf(text), name),
  })
}

function serverOf(row: AgentRow, machine: Machine, install: Install): ConnectionEdit[] {
  const { mcp, trustKey } = row
  const file = fileOf(row, mcp, machine, install.scope)
  if (!mcp || file === undefined) return []
  const { section, format, unusable, before, after, entry } = mcp
  const trust = trustKey && install.allowTools ? { [trustKey]: true } : {}
  const value = entry?.(install) ?? { ...before, ...serverCommand(install), ...after, ...trust }
  if (format === 'yaml')
    return [yamlServerEdit({ file, section, value, install, ...(unusable && { unusable }) })]
  if (format === 'toml') return [tomlServerEdit(file, value, install)]
  const without = trustKey && install.allowTools === false ? [trustKey] : []
  return [serverEdit({ file, section: () => section, value, install, without })]
}

/** @returns undefined if the harness has no such file in this scope. */
function fileOf(
  { home }: AgentRow,
  place: FilePlace | undefined,
  machine: Machine,
  scope: Install['scope'],
): string | undefined {
  if (!place) return undefined
  if (scope === 'project') return place.project && join(machine.folder, place.project)
  if (place.elsewhere) return place.elsewhere(machine)
  const files = (place.user ?? []).map(path => join(home(machine), path))
  return files.find(file => existsSync(file)) ?? files[0]
}

function obstaclesOf({ switchedOff }: AgentRow, file: string | undefined, read: ReadFile): Obstacle[] {
  if (!switchedOff || file === undefined) return []
  const { path, value } = switchedOff
  if (valueIn(read(file), path) !== value) return []
  return [{ what: `hooks are disabled in ${file}`, remedy: `set ${path.join('.')} to ${!value}` }]
}
