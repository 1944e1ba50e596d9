/**
 * Rows of the last list that was printed on a terminal, by which `@1` means an id in the next command. They
 * are kept in a file of the workspace for each terminal, and hold ids only.
 */

import { existsSync, fstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { replaceFile } from '../../lib/files/replace-file.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { CliError } from './cli-error.js'

/** The things that lists show, each with the command that lists them. */
const lists = {
  memory: 'memory list',
  item: 'memory search QUERY',
  task: 'memory tasks list',
  document: 'memory documents list',
  connector: 'memory connectors list',
  source: 'memory sources list',
  import: 'memory imports list',
  entity: 'memory ontology entities',
  proposal: 'memory ontology proposals',
  session: 'memory sessions list',
  summary: 'memory sessions summaries',
  message: 'memory messages inbox',
} as const

export type ListedKind = keyof typeof lists

interface ListedRow {
  kind: ListedKind
  id: string
}

/** Older rows belong to a terminal that has probably been closed. */
const maxAgeMs = 24 * 60 * 60 * 1000
const row = /^@(\d{1,6})(?==|$)/u
const namedKinds = new WeakMap<object, readonly ListedKind[]>()

/** Marks an argument or flag as an id, so that `@1` names a row of the last list. */
export function rowOf<Definition extends object>(
  kinds: ListedKind | readonly ListedKind[],
  definition: Definition,
): Definition {
  namedKinds.set(definition, typeof kinds === 'string' ? [kinds] : kinds)
  return definition
}

/**
 * Replaces `@1` by the id of that row in the values of marked arguments and flags.
 * @throws CliError for a row that the list does not have, and for one of another kind.
 */
export function withRowIds<Values extends object>(
  values: Values,
  definitions: Readonly<Record<string, object>> | undefined,
  workspace: string | undefined,
): Values {
  const entries = Object.entries(values).map(([name, value]) => {
    const kinds = namedKinds.get(definitions?.[name] ?? {})
    if (kinds === undefined) return [name, value]
    const idOf = (text: unknown) => (typeof text === 'string' ? rowId(text, kinds, workspace) : text)
    return [name, Array.isArray(value) ? value.map(idOf) : idOf(value)]
  })
  return Object.fromEntries(entries) as Values
}

function rowId(text: string, kinds: readonly ListedKind[], workspace: string | undefined): string {
  const [word, number] = row.exec(text) ?? []
  if (word === undefined) return text
  const rows = keptRows(workspace)
  const named = rows[Number(number) - 1]
  const list = lists[kinds[0] as ListedKind]
  if (!named)
    throw new CliError(
      rows.length === 0
        ? `${word} names a row of the last list on this terminal, and none was printed yet`
        : `${word} is not a row of the last list on this terminal, which has ${rows.length}`,
      { code: 'not_found', exit: 'notFound', nextSteps: [list] },
    )
  if (!kinds.includes(named.kind))
    throw new CliError(`${word} of the last list is of the kind ${named.kind}, not ${kinds.join(' or ')}`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: [list],
    })
  return named.id + text.slice(word.length)
}

/** Keeps the rows of a printed list. A list is printed whether or not they can be kept. */
export function keepRows(workspace: string | undefined, rows: readonly ListedRow[]): void {
  const { daemonDir, listedRows } = workspacePaths(workspace)
  // The workspace of a remote daemon is on another machine.
  if (!existsSync(daemonDir)) return
  try {
    replaceFile(join(listedRows, terminalName()), JSON.stringify({ at: Date.now(), rows }), 0o600)
    removeOld(listedRows)
  } catch {
    // The list itself was printed.
  }
}

function keptRows(workspace: string | undefined): readonly ListedRow[] {
  try {
    const file = join(workspacePaths(workspace).listedRows, terminalName())
    const { at, rows } = JSON.parse(readFileSync(file, 'utf8')) as { at: number; rows: ListedRow[] }
    return Date.now() - at < maxAgeMs ? rows : []
  } catch {
    return []
  }
}

/** Names this terminal by its device; without one, by the shell that runs the command. */
function terminalName(): string {
  for (const descriptor of [0, 1, 2])
    if (isatty(descriptor)) {
      const { rdev } = fstatSync(descriptor)
      if (rdev !== 0) return `terminal-${rdev}.json`
    }
  return `shell-${process.ppid}.json`
}

/** Shells end, and nobody reads the rows of their lists again. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (Date.now() - statSync(file).mtimeMs > maxAgeMs) rmSync(file, { force: true, maxRetries: 5 })
  }
}
