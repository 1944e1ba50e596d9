import { CliError } from '../../shell/cli-error.js'
import { chooseProgram } from './command-line.js'
import { type ConnectionRecord, readRecord } from './connection-record.js'
import type { ConnectionEdit, Harness, Scope, Transport } from './entries/harness.js'
import { hookPath } from './entries/own-entries.js'
import { detect } from './harnesses.js'
import { installedPlugin } from './installed-plugin.js'
import {
  type ConnectOptions,
  editsByFile,
  inFile,
  type PlanContext,
  planConnect,
  readSettings,
} from './plan.js'
import { textOf } from './settings-files.js'

/**
 * `outdated`: entries are missing or differ from this version's. `unreadable`: a settings file does not
 * parse. `plugin`: our plug-in in the harness does the same.
 */
export type ConnectionState =
  | 'not-installed'
  | 'by-hand'
  | 'plugin'
  | 'installed'
  | 'connected'
  | 'outdated'
  | 'unreadable'

export interface HarnessState {
  harness: string
  title: string
  state: ConnectionState
  scope: Scope
  /** Location of the harness, or the fault of its files. */
  evidence: string
  /** Files that connecting again would change. */
  outdatedFiles: string[]
  record: ConnectionRecord | undefined
}

/** Returns the connection state of a harness. Read-only. */
export function stateOf(context: PlanContext, harness: Harness, scope: Scope): HarnessState {
  const { machine } = context
  const record = readRecord(machine.workspace, { harness: harness.name, scope, folder: machine.folder })
  const { isInstalled, evidence } = detect(harness, machine)
  const known = { harness: harness.name, title: harness.title, scope, record, outdatedFiles: [] }
  if (harness.printed) return { ...known, state: 'by-hand', evidence }
  try {
    const options = optionsOf(context, harness, scope, record)
    const plugin = scope === 'user' ? installedPlugin(machine, harness.name, textIn) : undefined
    if (!options && plugin) return { ...known, state: 'plugin', evidence: `${plugin.id}, ${evidence}` }
    if (!options) return { ...known, state: isInstalled ? 'installed' : 'not-installed', evidence }
    const outdatedFiles = planConnect(context, harness, options).changes.map(({ path }) => path)
    const state = outdatedFiles.length > 0 ? 'outdated' : 'connected'
    const idle = plugin ? `; its plug-in ${plugin.id} does nothing meanwhile` : ''
    return { ...known, state, evidence: `${evidence}${idle}`, outdatedFiles }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { ...known, state: 'unreadable', evidence: error.message }
  }
}

function textIn(file: string): string {
  return readSettings(file)?.toString('utf8') ?? ''
}

/**
 * Returns the options of a connection from its record, or else from its entries; undefined if it has none.
 */
export function optionsOf(
  context: PlanContext,
  harness: Harness,
  scope: Scope,
  record: ConnectionRecord | undefined,
): ConnectOptions | undefined {
  const own = ownEdits(context, harness, scope, record)
  if (own.length === 0) return undefined
  if (record) return { scope, transport: record.transport, withMcp: record.withMcp }
  const isHttp = own.some(({ text }) => text.includes(hookPath(harness.name)))
  const transport: Transport = isHttp ? 'http' : 'command'
  return { scope, transport, withMcp: own.some(({ edit }) => edit.kind === 'MCP server') }
}

/** Returns the edits whose entries are present in their file. @throws CliError. */
function ownEdits(
  context: PlanContext,
  harness: Harness,
  scope: Scope,
  record: ConnectionRecord | undefined,
): { edit: ConnectionEdit; text: string }[] {
  const options: ConnectOptions = { scope, transport: 'command', withMcp: true }
  const program = chooseProgram(context.machine, harness)
  return [...editsByFile(context, { harness, options, program, record })].flatMap(([path, edits]) => {
    const bytes = readSettings(path)
    if (!bytes) return []
    return inFile(path, () => {
      const text = textOf(bytes)
      return edits.filter(edit => edit.remove(text) !== text).map(edit => ({ edit, text }))
    })
  })
}
