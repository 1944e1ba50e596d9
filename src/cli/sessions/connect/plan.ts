import { CliError } from '../../shell/cli-error.js'
import { chooseProgram, hookCommand, type Program } from './command-line.js'
import {
  type ConnectionKey,
  type ConnectionRecord,
  hashOf,
  readBackup,
  readRecord,
} from './connection-record.js'
import type { ConnectionEdit, Harness, Install, Scope, Transport } from './entries/harness.js'
import { readJson } from './entries/json-text.js'
import type { Machine } from './entries/machine.js'
import { MergeFault } from './entries/merge-fault.js'
import { serverVariables } from './entries/server-variables.js'
import { type InstalledPlugin, installedPlugin } from './installed-plugin.js'
import { type FileChange, readBytes, textOf } from './settings-files.js'

/** Options for connecting one harness. */
export interface ConnectOptions {
  scope: Scope
  transport: Transport
  withMcp: boolean
  /** If undefined, the current setting or the choice at the time of connecting is kept. */
  allowTools?: boolean | undefined
  /** For disconnecting: also removes the user's trust in our hooks. */
  forgetTrust?: boolean | undefined
}

/** The daemon's address in entries with URLs. */
export interface DaemonAddress {
  origin: string
  /** True if it requires a key from every caller. */
  needsKey: boolean
  /** Returns the public name of the workspace; absent for a daemon of SERVICE_DAEMON_URL. */
  workspaceName?: () => string
  /**
   * Reason why the next daemon may have another port: any free port is configured, only this shell sets it,
   * the default port was taken when the daemon started, or it is taken and no daemon runs.
   */
  passingPort?: 'any' | 'environment' | 'next' | 'unknown'
}

/** Planned contents of one harness's files; nothing is written yet. */
export interface Plan {
  harness: Harness
  key: ConnectionKey
  options: ConnectOptions
  program: Program
  address: DaemonAddress
  /** A text for a person to enter in the harness's settings. */
  printed?: string | undefined
  /** Our plug-in in the harness, which makes entries unnecessary. */
  plugin?: InstalledPlugin | undefined
  /** Changed files in write order. */
  changes: FileChange[]
  /** The meaning of the changes, for people. */
  parts: PlanPart[]
  record: ConnectionRecord | undefined
}

/** An edit of a file that changes it. */
export interface PlanPart {
  path: string
  verb: 'adds' | 'updates' | 'removes'
  kind: ConnectionEdit['kind']
  count: number
}

export interface PlanContext {
  machine: Machine
  address: DaemonAddress
  /** True if `capture.toolUse` is not `off`. */
  toolHooks: boolean
  /** Returns the text of a harness's plugin for this machine. */
  pluginText: (program: Program, harness: Harness) => string
}

/** @throws CliError `invalid_settings_file` with file and line for a file that cannot be changed safely. */
export function planConnect(context: PlanContext, harness: Harness, options: ConnectOptions): Plan {
  const plan = emptyPlan(context, harness, options)
  const files = [...editsByFile(context, plan)]
  if (files.length === 0 && !harness.printed) throw nothingIn(plan)
  const changes = files.flatMap(([path, edits]) => {
    const before = readSettings(path)
    const text = inFile(path, () => textOf(before))
    const after = inFile(path, () => edits.reduce((current, edit) => edit.add(current), text))
    const isNothing = after === text && (before !== undefined || after === '')
    plan.parts.push(...addedParts(path, edits, text))
    return isNothing ? [] : [{ path, before, after: Buffer.from(after) }]
  })
  const plugin = pluginFor(context, plan)
  // The plug-in brings the same hooks and server.
  if (plugin && plan.parts.every(({ verb }) => verb === 'adds')) return { ...plan, parts: [], plugin }
  return { ...plan, changes, printed: harness.printed?.(installOf(context, plan)) }
}

/** A project's entries are for everybody who works on it, so they do not depend on one's plug-ins. */
function pluginFor(
  { machine }: PlanContext,
  { harness, options, record }: Plan,
): InstalledPlugin | undefined {
  if (record || options.scope === 'project') return undefined
  return installedPlugin(machine, harness.name, file => readSettings(file)?.toString('utf8') ?? '')
}

function nothingIn({ harness, options }: Plan): CliError {
  const what = options.withMcp ? 'files for projects' : 'hooks'
  return new CliError(`${harness.title} has no ${what} that we could write`, {
    code: 'usage',
    exit: 'usage',
    nextSteps: [`memory connect ${harness.name}`],
  })
}

function addedParts(path: string, edits: readonly ConnectionEdit[], text: string): PlanPart[] {
  let current = text
  return edits.flatMap(edit => {
    const before = current
    current = edit.add(before)
    if (current === before) return []
    return [partOf(path, edit, edit.remove(before) === before ? 'adds' : 'updates')]
  })
}

function partOf(path: string, { kind, count = 1 }: ConnectionEdit, verb: PlanPart['verb']): PlanPart {
  return { path, verb, kind, count }
}

/**
 * Plans to undo a connection: a file unchanged since then gets its original bytes; a file that was written
 * since loses only our entries.
 * @throws CliError like `planConnect`.
 */
export function planDisconnect(
  context: PlanContext,
  harness: Harness,
  { scope, forgetTrust }: Pick<ConnectOptions, 'scope' | 'forgetTrust'>,
): Plan {
  const options: ConnectOptions = { scope, forgetTrust, transport: 'command', withMcp: true }
  const plan = emptyPlan(context, harness, options)
  const changes = [...editsByFile(context, plan)].flatMap(([path, edits]) => {
    const before = readSettings(path)
    if (!before) return []
    const after = inFile(path, () => withoutOurs(context, plan, { path, before, edits }))
    if (after?.equals(before)) return []
    const text = textOf(before)
    const gone = edits.filter(edit => edit.remove(text) !== text)
    plan.parts.push(...gone.map(edit => partOf(path, edit, 'removes')))
    return [{ path, before, after }]
  })
  return { ...plan, changes: [...changes, ...filesElsewhere(context, plan)] }
}

function emptyPlan({ machine, address }: PlanContext, harness: Harness, options: ConnectOptions): Plan {
  const { scope } = options
  const key = { harness: harness.name, scope, ...(scope === 'project' && { folder: machine.folder }) }
  const record = readRecord(machine.workspace, key)
  const program = chooseProgram(machine, harness)
  const allowTools = options.allowTools ?? record?.allowTools
  return {
    harness,
    key,
    options: { ...options, allowTools },
    program,
    address,
    changes: [],
    parts: [],
    record,
  }
}

/** Returns the parameters of an installation. */
export function installOf(
  { machine, address, toolHooks, pluginText }: PlanContext,
  { harness, options, program, record }: Pick<Plan, 'harness' | 'options' | 'program' | 'record'>,
): Install {
  return {
    ...options,
    ...address,
    toolHooks,
    allowTools: options.allowTools,
    forgetTrust: options.forgetTrust === true,
    read: file => readSettings(file)?.toString('utf8') ?? '',
    ownOrigins: [address.origin, ...(record ? [record.origin] : [])],
    hookCommand: hook => hookCommand(machine, program, hook, harness.name),
    mcpWords: program.mcp,
    variables: serverVariables(machine.env),
    pluginText: () => pluginText(program, harness),
  }
}

/** Groups edits by file; Gemini CLI has hooks and servers in the same one. */
export function editsByFile(
  context: PlanContext,
  plan: Pick<Plan, 'harness' | 'options' | 'program' | 'record'>,
): Map<string, ConnectionEdit[]> {
  const { harness, options } = plan
  const edits = harness
    .edits(context.machine, installOf(context, plan))
    .filter(
      ({ kind }) =>
        options.withMcp || kind === 'hooks' || kind === 'plugin' || kind === 'consent' || kind === 'trust',
    )
  const files = [...new Set(edits.map(({ file }) => file))]
  return new Map(files.map(path => [path, edits.filter(({ file }) => file === path)]))
}

interface OwnFile {
  path: string
  before: Buffer
  edits: readonly ConnectionEdit[]
}

/** @returns undefined if the file is to be deleted. */
function withoutOurs(
  { machine }: PlanContext,
  { key, record }: Plan,
  { path, before, edits }: OwnFile,
): Buffer | undefined {
  const recorded = record?.files.find(file => file.path === path)
  const backup = recorded && readBackup(machine.workspace, key, recorded)
  const original = backup && textOf(backup)
  const isAsLeft = recorded?.after === hashOf(before)
  if (isAsLeft && recorded.before === undefined) return undefined
  const text = isAsLeft && original !== undefined ? original : textOf(before)
  const cleared = clear(text, edits, original)
  const wasMade = recorded !== undefined && recorded.before === undefined
  if (cleared === undefined || (wasMade && isShell(cleared))) return undefined
  return Buffer.from(cleared)
}

function clear(
  text: string,
  edits: readonly ConnectionEdit[],
  original: string | undefined,
): string | undefined {
  return edits.reduce<string | undefined>(
    (current, edit) => (current === undefined ? undefined : edit.remove(current, original)),
    text,
  )
}

/** Returns true if only the frame of a file that we created is left. */
function isShell(text: string): boolean {
  if (text.trim() === '') return true
  try {
    return Object.keys(readJson(text)).every(key => key === 'version' || key === '$schema')
  } catch {
    return false
  }
}

/** Restores recorded files that the harness no longer uses, unless they have been changed. */
function filesElsewhere(context: PlanContext, plan: Plan): FileChange[] {
  const { machine } = context
  const known = editsByFile(context, plan)
  return (plan.record?.files ?? []).flatMap(recorded => {
    const before = known.has(recorded.path) ? undefined : readSettings(recorded.path)
    if (!before || hashOf(before) !== recorded.after) return []
    const after = readBackup(machine.workspace, plan.key, recorded)
    return after || recorded.before === undefined ? [{ path: recorded.path, before, after }] : []
  })
}

/** @returns undefined if the file is missing. @throws CliError `unreadable_settings_file`. */
export function readSettings(path: string): Buffer | undefined {
  try {
    return readBytes(path)
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`, {
      code: 'unreadable_settings_file',
      exit: 'refused',
      cause: error,
    })
  }
}

/** Adds file and line to a fault. @throws CliError `invalid_settings_file`. */
export function inFile<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof MergeFault)) throw error
    const place = error.line > 0 ? `${path}:${error.line}:` : path
    throw new CliError(`${place} ${error.message}; nothing was written`, {
      code: 'invalid_settings_file',
      exit: 'refused',
      nextSteps: [`correct ${path} and try again`],
      cause: error,
    })
  }
}
