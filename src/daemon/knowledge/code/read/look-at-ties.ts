import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TieKind } from '../../../../contract/memory/tie-words.js'
import type { CodeReads, PlacedSymbol } from '../../../../store/tables/knowledge/code-reads.js'
import type { OpenIndex } from './open-index.js'

/** What is tied as it stands in the project now. */
export interface Ground {
  path: string | null
  line: number | null
  /** Of the file, or of the lines of the symbol; null for a commit. */
  hash: string | null
}

/** What is looked for: a path, a name or a commit as a memory has it, and where an earlier look found it. */
export interface Sought {
  kind: TieKind
  target: string
  path: string | null
}

/** A file that is larger is no ground for a memory. */
const maxBytes = 4 * 1024 * 1024
const mostNamed = 50

/**
 * Where each of some mentions stands in a project; undefined for what is not there, or may be more than one thing. Commits
 * are left to git.
 */
export function lookAtTies(index: OpenIndex, sought: readonly Sought[]): (Ground | undefined)[] {
  const files = createFiles(index.root)
  const named = pathsByName(index.reads, sought)
  return sought.map(one => {
    if (one.kind === 'commit') return undefined
    return one.kind === 'path' ? pathGround(one, files, named) : symbolGround(index.reads, one, files)
  })
}

type Files = ReturnType<typeof createFiles>

/** Files of the project as they are on the disk, each read once; nothing behind a link. */
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
    const found = lstatSync(file)
    return found.isFile() && found.size <= maxBytes ? readFileSync(file, 'latin1') : undefined
  } catch {
    return undefined
  }
}

/** Paths of the index by the names of the files that are sought. */
function pathsByName(reads: CodeReads, sought: readonly Sought[]): ReadonlyMap<string, string[]> {
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

/** The file of that path, or the only one whose path ends so. */
function pathGround(
  { target, path: before }: Sought,
  files: Files,
  named: ReadonlyMap<string, string[]>,
): Ground | undefined {
  const ending = (named.get(nameOf(target)) ?? []).filter(path => path.endsWith(`/${target}`))
  const only = ending.length === 1 ? ending[0] : undefined
  for (const path of [before ?? target, only]) {
    const text = path === undefined ? undefined : files.textOf(path)
    if (path !== undefined && text !== undefined) return { path, line: null, hash: hashOf(text) }
  }
  return undefined
}

function symbolGround(reads: CodeReads, { target, path }: Sought, files: Files): Ground | undefined {
  const symbol = onlySymbol(reads, target, path)
  const text = symbol && files.textOf(symbol.path)
  if (!symbol || text === undefined) return undefined
  const lines = text.split('\n').slice(symbol.start_line - 1, symbol.end_line)
  return { path: symbol.path, line: symbol.start_line, hash: hashOf(lines.join('\n').trim()) }
}

/** Of several symbols of one name none is meant for sure, except the one that was meant before. */
function onlySymbol(reads: CodeReads, target: string, path: string | null): PlacedSymbol | undefined {
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
