import type { Reply } from '../../../../contract/api.js'
import { type CodeCertainty, codeCertainties } from '../../../../contract/knowledge/code-words.js'
import type { CodeReads, SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import {
  findSymbols,
  importersOf,
  keyOf,
  type Neighbour,
  rankOf,
  type SymbolMatch,
  usedSymbolsOf,
  usersOf,
} from './neighbours.js'
import type { OpenIndex } from './open-index.js'
import { withInner } from './read-context.js'
import { fileRecord, symbolRecord } from './symbol-record.js'

type Blast = Reply<'GET /api/code/blast'>
type Direction = 'forward' | 'backward'

export interface BlastQuestion {
  symbol: string
  depth: number
  direction: Blast['direction']
}

/** Limits of nodes and repeated nodes, so that the tree stays readable. */
const mostNodes = 500
const mostRepeats = 200
/** Limit of roots with the same name. */
const mostRoots = 5

/** A node of the tree. */
interface BlastNode extends Neighbour {
  parent: BlastNode | undefined
  depth: number
  way: CodeCertainty
  again?: true
  children: BlastNode[]
}

/** The root of a tree: a symbol with its inner symbols, or a file with all of its symbols. */
interface Root {
  record: Blast['roots'][number]
  symbols: readonly SymbolInFile[]
  file?: string
}

interface Walk {
  reads: CodeReads
  direction: Direction
  depth: number
  /** Nodes by key, in the order of discovery. */
  found: Map<string, BlastNode>
  repeats: number
  truncated: boolean
}

/**
 * Returns everything that depends on a symbol, or that it depends on, as a bounded tree (code-index.md 7).
 * @throws AppError `not_found`
 */
export function readBlast(index: OpenIndex, { symbol, depth, direction }: BlastQuestion): Blast {
  const meant = findSymbols(index, symbol)
  const roots = rootsOf(index, meant)
  const directions: readonly Direction[] = direction === 'both' ? ['backward', 'forward'] : [direction]
  const nodes: Blast['nodes'] = []
  let truncated = meant.symbols.length > roots.length
  for (const [number, root] of roots.entries())
    for (const way of directions) {
      const walk = walkFrom(index.reads, root, { direction: way, depth, room: mostNodes - nodes.length })
      truncated ||= walk.truncated
      flatten(walk.first, { root: number, direction: way, parent: null }, nodes)
    }
  const fresh = nodes.filter(({ again }) => !again)
  const count = (certainty: CodeCertainty): number => fresh.filter(({ way }) => way === certainty).length
  return {
    project: index.root,
    symbol,
    direction,
    depth,
    roots: roots.map(({ record }) => record),
    nodes,
    files: [...new Set(fresh.map(node => node.symbol.path))].toSorted(),
    counts: { certain: count('certain'), likely: count('likely'), ambiguous: count('ambiguous') },
    truncated,
  }
}

function rootsOf(index: OpenIndex, meant: SymbolMatch): Root[] {
  if (meant.file)
    return [
      {
        record: fileRecord(meant.file),
        symbols: index.reads.symbolsIn(meant.file.id, 1000),
        file: meant.file.path,
      },
    ]
  return meant.symbols
    .slice(0, mostRoots)
    .map(symbol => ({ record: symbolRecord(symbol), symbols: withInner(index, symbol) }))
}

/**
 * Follows certain edges first, then likely ones from all nodes found, and adds ambiguous ones as leaves. Each
 * symbol is therefore reached on its most certain path, and never through an ambiguous edge.
 */
function walkFrom(
  reads: CodeReads,
  root: Root,
  { direction, depth, room }: { direction: Direction; depth: number; room: number },
): Walk & { first: BlastNode[] } {
  const walk: Walk = { reads, direction, depth, found: new Map(), repeats: 0, truncated: false }
  const first: BlastNode[] = []
  const own = new Set(root.symbols.map(symbol => keyOf(reads, symbol)))
  const ends = neighboursOfAll(reads, direction, root).filter(({ key }) => !own.has(key))
  const take = (end: Neighbour, parent: BlastNode | undefined): BlastNode | undefined => {
    if (own.has(end.key)) return undefined
    const way = weaker(parent?.way ?? 'certain', end.certainty)
    const siblings = parent?.children ?? first
    const known = walk.found.get(end.key)
    if (known) {
      if (!repeats(walk, known, siblings, parent)) return undefined
      siblings.push({ ...end, parent, depth: (parent?.depth ?? 0) + 1, way, again: true, children: [] })
      return undefined
    }
    if (walk.found.size >= room) {
      walk.truncated = true
      return undefined
    }
    const step = { ...end, parent, depth: (parent?.depth ?? 0) + 1, way, children: [] }
    walk.found.set(end.key, step)
    siblings.push(step)
    return step
  }
  for (const certainty of codeCertainties) followEdges(walk, ends, certainty, take)
  return { ...walk, first }
}

type AddNode = (end: Neighbour, parent: BlastNode | undefined) => BlastNode | undefined

/** Follows the edges of one certainty from all nodes found so far, nearest first. */
function followEdges(walk: Walk, ends: readonly Neighbour[], certainty: CodeCertainty, take: AddNode): void {
  const levels: BlastNode[][] = Array.from({ length: walk.depth + 1 }, () => [])
  const put = (step: BlastNode | undefined): void => {
    if (step) levels[step.depth]?.push(step)
  }
  const before = [...walk.found.values()]
  for (const step of before) put(step)
  const isNew = new Set<BlastNode>()
  const reach = (end: Neighbour, parent: BlastNode | undefined): void => {
    const step = take(end, parent)
    if (step) isNew.add(step)
    put(step)
  }
  for (const end of ends) if (end.certainty === certainty) reach(end, undefined)
  for (let depth = 1; depth <= walk.depth; depth++)
    for (const step of levels[depth] ?? []) {
      if (step.way === 'ambiguous' || !step.row) continue
      const next = neighboursOf(walk.reads, walk.direction, step.row).filter(end =>
        isNew.has(step) ? rankOf(end.certainty) <= rankOf(certainty) : end.certainty === certainty,
      )
      if (depth < walk.depth) for (const end of next) reach(end, step)
      else if (next.some(({ key }) => !walk.found.has(key))) walk.truncated = true
    }
}

/** True if a repeated node should be shown here: once per parent, and within the limit. */
function repeats(
  walk: Walk,
  known: BlastNode,
  siblings: readonly BlastNode[],
  parent: BlastNode | undefined,
): boolean {
  if (known.parent === parent || siblings.some(({ key }) => key === known.key)) return false
  if (walk.repeats >= mostRepeats) return false
  walk.repeats++
  return true
}

function neighboursOfAll(reads: CodeReads, direction: Direction, { symbols, file }: Root): Neighbour[] {
  const all = symbols.flatMap(symbol => neighboursOf(reads, direction, symbol))
  return file !== undefined && direction === 'backward' ? [...all, ...importersOf(reads, file)] : all
}

/** Imports are left out, because the use of the imported name is an edge of its own. */
function neighboursOf(reads: CodeReads, direction: Direction, symbol: SymbolInFile): Neighbour[] {
  const own = keyOf(reads, symbol)
  const all = direction === 'backward' ? usersOf(reads, symbol) : usedSymbolsOf(reads, symbol)
  return all.filter(({ key, relation }) => key !== own && relation !== 'import')
}

function weaker(one: CodeCertainty, other: CodeCertainty): CodeCertainty {
  return rankOf(one) >= rankOf(other) ? one : other
}

/** Lists parents before their children, depth first. */
function flatten(
  steps: readonly BlastNode[],
  place: { root: number; direction: Direction; parent: number | null },
  nodes: Blast['nodes'],
): void {
  for (const { depth, symbol, relation, certainty, way, at, again, children } of steps) {
    const id = nodes.length
    const node = { id, ...place, depth, symbol, relation, certainty, way, at }
    nodes.push(again ? { ...node, again } : node)
    flatten(children, { ...place, parent: id }, nodes)
  }
}
