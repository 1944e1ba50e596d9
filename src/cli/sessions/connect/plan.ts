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
import { type FileChange, readBytes, textOf } from './settings-files.js'

/** What connecting one harness means. */
export interface ConnectOptions {
  scope: Scope
  transport: Transport
  withMcp: boolean
  /** Undefined leaves it as it is, or as it was asked for when the harness was connected. */
  allowTools?: boolean | undefined
  /** Of a disconnection: trust that a person gave to our hooks goes too. */
  forgetTrust?: boolean | undefined
}

/** The daemon as entries by URL name it. */
export interface DaemonAddress {
  origin: string
  /** It asks everybody for a key. */
  needsKey: boolean
  /** Why the next daemon may have another port: it takes any free one, or only this shell names it. */
  passingPort?: 'any' | 'environment'
}

/** What one harness's files will become; nothing is written yet. */
export interface Plan {
  harness: Harness
  key: ConnectionKey
  options: ConnectOptions
  program: Program
  address: DaemonAddress
  /** Files that differ afterwards, in the order they are written. */
  changes: FileChange[]
  record: ConnectionRecord | undefined
}

/** What a plan is made from. */
export interface PlanContext {
  machine: Machine
  address: DaemonAddress
  /** Text of the OpenCode plugin for this machine. */
  pluginText: (program: Program) => string
}

/** @throws CliError `invalid_settings_file` with file and line for a file that cannot be changed safely. */
export function planConnect(context: PlanContext, harness: Harness, options: ConnectOptions): Plan {
  const plan = emptyPlan(context, harness, options)
  const changes = [...editsByFile(context, plan)].flatMap(([path, edits]) => {
    const before = readSettings(path)
    const text = inFile(path, () => textOf(before))
    const after = inFile(path, () => edits.reduce((current, edit) => edit.add(current), text))
    const isNothing = after === text && (before !== undefined || after === '')
    return isNothing ? [] : [{ path, before, after: Buffer.from(after) }]
  })
  return { ...plan, changes }
}

/**
 * Takes back what a connection changed: a file that is as we left it gets the bytes from before, a file that a person
 * or the harness has written since loses our entries only.
 * @throws CliError as `planConnect`.
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
    return after?.equals(before) ? [] : [{ path, before, after }]
  })
  return { ...plan, changes: [...changes, ...filesElsewhere(context, plan)] }
}

function emptyPlan({ machine, address }: PlanContext, harness: Harness, options: ConnectOptions): Plan {
  const key = { harness: harness.name, scope: options.scope, folder: machine.folder }
  const record = readRecord(machine.workspace, key)
  const program = chooseProgram(machine, harness)
  const allowTools = options.allowTools ?? record?.allowTools
  return { harness, key, options: { ...options, allowTools }, program, address, changes: [], record }
}

/** Edits by the file they go into; Gemini CLI keeps hooks and servers in one. */
export function editsByFile(
  { machine, address, pluginText }: PlanContext,
  { harness, options, program, record }: Pick<Plan, 'harness' | 'options' | 'program' | 'record'>,
): Map<string, ConnectionEdit[]> {
  const install: Install = {
    ...options,
    ...address,
    allowTools: options.allowTools,
    forgetTrust: options.forgetTrust === true,
    read: file => readSettings(file)?.toString('utf8') ?? '',
    ownOrigins: [address.origin, ...(record ? [record.origin] : [])],
    hookCommand: hook => hookCommand(machine, program, hook, harness.name),
    mcpWords: program.mcp,
    variables: serverVariables(machine.env),
    pluginText: () => pluginText(program),
  }
  const edits = harness
    .edits(machine, install)
    .filter(({ kind }) => options.withMcp || kind === 'hooks' || kind === 'plugin' || kind === 'trust')
  const files = [...new Set(edits.map(({ file }) => file))]
  return new Map(files.map(path => [path, edits.filter(({ file }) => file === path)]))
}

interface OwnFile {
  path: string
  before: Buffer
  edits: readonly ConnectionEdit[]
}

/** @returns undefined for a file that goes. */
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

/** What is left of a file that we made when only its frame is left. */
function isShell(text: string): boolean {
  if (text.trim() === '') return true
  try {
    return Object.keys(readJson(text)).every(key => key === 'version' || key === '$schema')
  } catch {
    return false
  }
}

/** Files of a record that the harness keeps elsewhere by now: they get their bytes back when nobody changed them. */
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

/** @returns undefined when there is no file. @throws CliError `unreadable_settings_file`. */
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

/** Says of a fault in a text which file and line it is in. @throws CliError `invalid_settings_file`. */
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
