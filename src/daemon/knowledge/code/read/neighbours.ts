import type { CodeNeighbour } from '../../../../contract/knowledge/code.js'
import { type CodeCertainty, codeCertainties } from '../../../../contract/knowledge/code-words.js'
import { wordsOfName } from '../../../../lib/text/split-name.js'
import type { CodeReads, EdgeEnd, PlacedSymbol } from '../../../../store/tables/knowledge/code-reads.js'
import { fileRecord, symbolRecord } from './symbol-record.js'

/** What stands at the other end of an edge; `key` is the same for edges to the same end. */
export interface Neighbour extends CodeNeighbour {
  key: string
  /** Undefined for a file. */
  row: PlacedSymbol | undefined
}

/** Edges that are looked at of one symbol; what is used more often is used everywhere. */
const mostEdges = 2000
/** A name of C that more files define is none of a header. */
const mostTwins = 20
/** Uses of a name that nothing binds. */
const mostByName = 100

/** What uses a symbol: each user once for each kind of use, the surest first. */
export function usersOf(reads: CodeReads, symbol: PlacedSymbol): Neighbour[] {
  const ids = twinsOf(reads, symbol).map(({ id }) => id)
  const sure = ids.flatMap(id => reads.edgesTo(id, mostEdges))
  const maybe = reads
    .edgesByName(symbol.name, mostEdges)
    .filter(({ candidates }) => candidatesIn(candidates).some(id => ids.includes(id)))
  return distinct(
    [...sure, ...maybe, ...usesByName(reads, symbol)].flatMap(edge => endOf(reads, edge, edge.end) ?? []),
  )
}

/** What a symbol uses itself; an ambiguous edge has each of its candidates. */
export function usedBy(reads: CodeReads, symbol: PlacedSymbol): Neighbour[] {
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

/** Files that import a file, or what it has by a name. */
export function importersOf(reads: CodeReads, path: string, name?: string): Neighbour[] {
  return distinct(reads.importsOf(path, name, mostEdges).flatMap(edge => endOf(reads, edge, null) ?? []))
}

/** A symbol, or the file that the edge is written in; undefined for a symbol that went meanwhile. */
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
 * Uses of the only symbol that has a name of several words, which nothing binds: they may well mean it. Names of one word
 * are those of libraries too, and so are names that are used everywhere.
 */
function usesByName(reads: CodeReads, { name }: PlacedSymbol): EdgeEnd[] {
  if (wordsOfName(name).length < 2 || reads.symbolsNamed(name, 2).length > 1) return []
  const uses = reads.unboundUses(name, mostByName) ?? []
  return uses.length > mostByName ? [] : uses.map(edge => ({ ...edge, confidence: 'ambiguous' }))
}

/** What is declared in a header of C or C++ and defined elsewhere is one symbol. */
function twinsOf(reads: CodeReads, symbol: PlacedSymbol): PlacedSymbol[] {
  if (symbol.language !== 'c' && symbol.language !== 'cpp') return [symbol]
  const all = reads.symbolsQualified(symbol.qualified_name, mostTwins)
  const twins = all.filter(({ language, kind }) => language === symbol.language && kind === symbol.kind)
  return twins.some(({ id }) => id === symbol.id) ? twins : [symbol]
}

/** The same for each of several twins. */
export function keyOf(reads: CodeReads, symbol: PlacedSymbol): string {
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
