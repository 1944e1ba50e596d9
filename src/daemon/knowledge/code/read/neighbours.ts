import { AppError } from '../../../../contract/ground/errors.js'
import type { CodeNeighbour } from '../../../../contract/knowledge/code.js'
import { type CodeCertainty, codeCertainties } from '../../../../contract/knowledge/code-words.js'
import { quoted } from '../../../../lib/text/clip.js'
import { wordsOfName } from '../../../../lib/text/names.js'
import type { CodeReads, EdgeEnd, SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import type { FileRow } from '../../../../store/tables/knowledge/code-rows.js'
import type { OpenIndex } from './open-index.js'
import { fileRecord, symbolRecord } from './symbol-record.js'

/** The other end of an edge; `key` is equal for edges to the same end. */
export interface Neighbour extends CodeNeighbour {
  key: string
  /** Undefined for a file. */
  row: SymbolInFile | undefined
}

/** Edges read per symbol; with more, the symbol is used everywhere. */
const mostEdges = 2000
/** A C name defined in more files than this does not come from one header. */
const mostTwins = 20
/** Limit of unbound uses of a name. */
const mostByName = 100

/** Limit of symbols with the same name. */
const mostNamed = 1000
const mostGuesses = 5

/** The symbols or the file that a query names. */
export type SymbolMatch = { symbols: SymbolInFile[]; file?: undefined } | { symbols: []; file: FileRow }

/** Finds the users of a symbol, once per kind of use, most certain first. */
export function usersOf(reads: CodeReads, symbol: SymbolInFile): Neighbour[] {
  const ids = twinsOf(reads, symbol).map(({ id }) => id)
  const sure = ids.flatMap(id => reads.edgesTo(id, mostEdges))
  const maybe = reads
    .edgesByName(symbol.name, mostEdges)
    .filter(({ candidates }) => candidatesIn(candidates).some(id => ids.includes(id)))
  return distinct(
    [...sure, ...maybe, ...usesByName(reads, symbol)].flatMap(edge => endOf(reads, edge, edge.end) ?? []),
  )
}

/** Finds the symbols that a symbol uses; an ambiguous edge counts for each candidate. */
export function usedSymbolsOf(reads: CodeReads, symbol: SymbolInFile): Neighbour[] {
  const edges = twinsOf(reads, symbol).flatMap(({ id }) => reads.edgesFrom(id, mostEdges))
  return distinct(
    edges.flatMap(edge =>
      edge.confidence === 'ambiguous'
        ? candidatesIn(edge.candidates).flatMap(id => endOf(reads, edge, id) ?? [])
        : edge.end === null
          ? []
          : (endOf(reads, edge, edge.end) ?? []),
    ),
  )
}

/** Finds files that import a file, or one name of it. */
export function importersOf(reads: CodeReads, path: string, name?: string): Neighbour[] {
  return distinct(reads.importsOf(path, name, mostEdges).flatMap(edge => endOf(reads, edge, null) ?? []))
}

/**
 * Returns the symbol at the end of an edge, or its file; undefined for a symbol that was removed in the
 * meantime.
 */
function endOf(reads: CodeReads, edge: EdgeEnd, id: number | null): Neighbour | undefined {
  if (edge.confidence === 'unresolved') return undefined
  const symbol = id === null ? undefined : reads.symbol(id)
  if (id !== null && !symbol) return undefined
  return {
    key: symbol ? keyOf(reads, symbol) : `file ${edge.file}`,
    row: symbol,
    symbol: symbol ? symbolRecord(symbol) : fileRecord(edge),
    relation: edge.kind,
    certainty: edge.confidence,
    at: { path: edge.path, line: edge.line },
  }
}

/**
 * Returns unbound uses of a unique name with several words, because they probably refer to it. Names of one
 * word, and frequent names, also occur in libraries.
 */
function usesByName(reads: CodeReads, { name }: SymbolInFile): EdgeEnd[] {
  if (wordsOfName(name).length < 2 || reads.symbolsNamed(name, 2).length > 1) return []
  const uses = reads.unboundUses(name, mostByName) ?? []
  return uses.length > mostByName ? [] : uses.map(edge => ({ ...edge, confidence: 'ambiguous' }))
}

/** A C or C++ symbol declared in a header and defined elsewhere is one symbol. */
function twinsOf(reads: CodeReads, symbol: SymbolInFile): SymbolInFile[] {
  if (symbol.language !== 'c' && symbol.language !== 'cpp') return [symbol]
  const all = reads.symbolsQualified(symbol.qualified_name, mostTwins)
  const twins = all.filter(({ language, kind }) => language === symbol.language && kind === symbol.kind)
  return twins.some(({ id }) => id === symbol.id) ? twins : [symbol]
}

/** Returns the same key for all twins. */
export function keyOf(reads: CodeReads, symbol: SymbolInFile): string {
  return String(Math.min(...twinsOf(reads, symbol).map(({ id }) => id)))
}

function candidatesIn(candidates: string | null): readonly number[] {
  return candidates === null ? [] : (JSON.parse(candidates) as number[])
}

function distinct(neighbours: readonly Neighbour[]): Neighbour[] {
  const best = new Map<string, Neighbour>()
  for (const neighbour of neighbours.toSorted(surestFirst)) {
    const key = `${neighbour.relation} ${neighbour.key}`
    if (!best.has(key)) best.set(key, neighbour)
  }
  return [...best.values()]
}

function surestFirst(one: Neighbour, other: Neighbour): number {
  return (
    rankOf(one.certainty) - rankOf(other.certainty) ||
    (one.at.path < other.at.path ? -1 : one.at.path > other.at.path ? 1 : one.at.line - other.at.line)
  )
}

export function rankOf(certainty: CodeCertainty): number {
  return codeCertainties.indexOf(certainty)
}

/**
 * Finds `name`, `Class.method`, `path:name` or `path`. Similar names never match (code-index.md 6).
 * @throws AppError `not_found`, with similar names
 */
export function findSymbols(index: OpenIndex, given: string): SymbolMatch {
  const file = index.reads.fileAt(given)
  if (file?.parser) return { symbols: [], file }
  const { path, name } = partsOf(given)
  const symbols = symbolsOf(index, name).filter(symbol => path === undefined || isAt(symbol.path, path))
  if (symbols.length > 0) return { symbols: inOrder(symbols) }
  throw new AppError('not_found', `symbol ${quoted(given)} not found in ${index.root}${guesses(index, name)}`)
}

/** A path before a colon contains a dot or a slash; `std::name` of C++ and Rust is a name. */
function partsOf(given: string): { path: string | undefined; name: string } {
  const [, path, name] = /^(?=[^:]*[./])([^:]*):([^:]+)$/u.exec(given) ?? []
  return { path, name: plainName(name ?? given) }
}

/** The index joins names with dots in every language. */
function plainName(name: string): string {
  return name.replace(/::|#|->/gu, '.').replace(/\(\)$/u, '')
}

function symbolsOf({ reads }: OpenIndex, name: string): SymbolInFile[] {
  const whole = reads.symbolsQualified(name, mostNamed)
  const last = name.slice(name.lastIndexOf('.') + 1)
  const others = reads
    .symbolsNamed(last, mostNamed)
    .filter(symbol => last === name || symbol.qualified_name.endsWith(`.${name}`))
  // Routes, and names that contain dots, match as a whole.
  const exact = last === name ? [] : reads.symbolsNamed(name, mostNamed)
  return [...new Map([...whole, ...others, ...exact].map(symbol => [symbol.id, symbol])).values()]
}

function isAt(path: string, wanted: string): boolean {
  return path === wanted || path.endsWith(`/${wanted}`)
}

/** Exported symbols first, then by path and line, so that the order is stable. */
function inOrder(symbols: SymbolInFile[]): SymbolInFile[] {
  return symbols.toSorted(
    (one, other) =>
      other.exported - one.exported ||
      (one.path < other.path ? -1 : one.path > other.path ? 1 : one.start_line - other.start_line),
  )
}

function guesses({ reads }: OpenIndex, name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const like = [...reads.symbolsFolded(last, mostGuesses), ...reads.symbolsBeginning(last, mostGuesses)]
  const names = [...new Set(like.map(({ qualified_name }) => qualified_name))].slice(0, mostGuesses)
  return names.length > 0 ? `. Did you mean: ${names.join(', ')}` : '; try memory code search'
}
