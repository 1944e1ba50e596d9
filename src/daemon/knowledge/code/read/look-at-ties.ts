import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { TieKind } from '../../../../contract/ground/wire-names.js'
import { readForeignSync } from '../../../../lib/files/open-foreign.js'
import type { CodeReads, SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import type { OpenIndex } from './open-index.js'

/** The current location of tied code. */
export interface TieLocation {
  path: string | null
  line: number | null
  /** Hash of the file, or of the symbol's lines; null for a commit. */
  hash: string | null
}

/** A path, name or commit mentioned in a memory, and its earlier location. */
export interface TieTarget {
  kind: TieKind
  target: string
  path: string | null
}

/** Larger files are not tied. */
const maxBytes = 4 * 1024 * 1024
const mostNamed = 50

/**
 * Locates mentions in a project; undefined for missing or ambiguous ones. Commits are checked with git
 * elsewhere.
 */
export function locateTies(index: OpenIndex, sought: readonly TieTarget[]): (TieLocation | undefined)[] {
  const files = createFiles(index.root)
  const named = pathsByName(index.reads, sought)
  return sought.map(one => {
    if (one.kind === 'commit') return undefined
    return one.kind === 'path' ? locatePath(one, files, named) : locateSymbol(index.reads, one, files)
  })
}

type Files = ReturnType<typeof createFiles>

/** Reads project files from disk, each once, without following links. */
function createFiles(root: string) {
  const texts = new Map<string, string | undefined>()
  const textOf = (path: string): string | undefined => {
    if (!texts.has(path)) texts.set(path, readText(join(root, path)))
    return texts.get(path)
  }
  return { textOf }
}

function readText(file: string): string | undefined {
  try {
    return readForeignSync(file, { maxBytes }).toString('latin1')
  } catch {
    return undefined
  }
}

/** Groups indexed paths by the file names searched for. */
function pathsByName(reads: CodeReads, sought: readonly TieTarget[]): ReadonlyMap<string, string[]> {
  const wanted = new Set(sought.flatMap(({ kind, target }) => (kind === 'path' ? [nameOf(target)] : [])))
  const paths = new Map<string, string[]>()
  if (wanted.size === 0) return paths
  for (const { path } of reads.filesRead())
    if (wanted.has(nameOf(path))) paths.set(nameOf(path), [...(paths.get(nameOf(path)) ?? []), path])
  return paths
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Finds the file with this path, or the only one whose path ends with it. */
function locatePath(
  { target, path: before }: TieTarget,
  files: Files,
  named: ReadonlyMap<string, string[]>,
): TieLocation | undefined {
  const ending = (named.get(nameOf(target)) ?? []).filter(path => path.endsWith(`/${target}`))
  const only = ending.length === 1 ? ending[0] : undefined
  for (const path of [before ?? target, only]) {
    const text = path === undefined ? undefined : files.textOf(path)
    if (path !== undefined && text !== undefined) return { path, line: null, hash: hashOf(text) }
  }
  return undefined
}

function locateSymbol(reads: CodeReads, { target, path }: TieTarget, files: Files): TieLocation | undefined {
  const symbol = onlySymbol(reads, target, path)
  const text = symbol && files.textOf(symbol.path)
  if (!symbol || text === undefined) return undefined
  const lines = text.split('\n').slice(symbol.start_line - 1, symbol.end_line)
  return { path: symbol.path, line: symbol.start_line, hash: hashOf(lines.join('\n').trim()) }
}

/** Of several symbols with the same name only the previously tied one counts. */
function onlySymbol(reads: CodeReads, target: string, path: string | null): SymbolInFile | undefined {
  const last = target.slice(target.lastIndexOf('.') + 1)
  const all = reads
    .symbolsNamed(last, mostNamed)
    .filter(({ qualified_name: name }) => last === target || name === target || name.endsWith(`.${target}`))
  const there = path === null ? [] : all.filter(symbol => symbol.path === path)
  if (there.length === 1) return there[0]
  return all.length === 1 ? all[0] : undefined
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 32)
}
