import { wordsOfName } from '../../../../../lib/text/names.js'
import type { EdgeRow, SymbolRow } from '../../../../../store/tables/knowledge/code-rows.js'
import type { CodeWrites } from '../../../../../store/tables/knowledge/code-writes.js'
import type { ParsedEdge, ParsedFile, ParsedSymbol } from '../parsing/parse-file.js'
import { ambiguous, unresolved } from '../resolving/bind-edge.js'

/** Effects of a changed file on other files. */
export interface FileChange {
  /** Names of symbols that were added, removed or changed in visibility. */
  names: Set<string>
  /** True if its types inherit from other types than before. */
  isInheritanceChanged: boolean
  /** The previously inherited types, if so. */
  parentsBefore: readonly number[]
  /** True if its re-exports changed. */
  isHandingOnChanged: boolean
}

/** Replaces the contents of a file in the index. A symbol that still exists keeps its id. */
export function storeFile(
  writes: CodeWrites,
  file: { id: number; path: string },
  parsed: ParsedFile,
  nextSymbol: () => number,
): FileChange {
  const before = writes.symbolsOfFile(file.id)
  const usesBefore = writes.shapeOf(file.id)
  const ids = numbersOf(before, parsed.symbols, nextSymbol)
  const { names } = namesChanged(before, parsed.symbols, ids)
  writes.dropUses(file.id)
  const rows = parsed.symbols.map((symbol, at) => rowOf(symbol, ids, at, file.id))
  putSymbols(writes, file.path, before, rows)
  for (const { exported, ...one } of parsed.imports)
    writes.addImport({ ...one, exported: exported ? 1 : 0, file: file.id, target: null })
  const isKnown = ({ targets, kind }: ParsedEdge): boolean => targets.length > 0 || kind === 'inherit'
  for (const edge of parsed.edges) if (isKnown(edge)) writes.addEdge(edgeOf(edge, ids, file.id))
  const open = parsed.edges.filter(edge => !isKnown(edge)).map(({ targets: _none, ...edge }) => edge)
  writes.addUnsettled(
    file.id,
    open.map(edge => ({ ...edge, source: numberOf(edge.source, ids) })),
  )
  const uses = writes.shapeOf(file.id)
  const isInheritanceChanged = usesBefore.inherits !== uses.inherits
  return {
    names,
    isInheritanceChanged,
    parentsBefore: isInheritanceChanged ? usesBefore.parents : [],
    isHandingOnChanged: usesBefore.handsOn !== uses.handsOn,
  }
}

/** Unchanged symbols are left alone, because the full-text index is the most expensive part to write. */
function putSymbols(
  writes: CodeWrites,
  path: string,
  before: readonly SymbolRow[],
  rows: readonly SymbolRow[],
): void {
  const now = new Map(rows.map(row => [row.id, row]))
  const same = new Set<number>()
  for (const row of before) {
    const { signature, doc } = now.get(row.id) ?? {}
    if (row.signature === signature && row.doc === doc) same.add(row.id)
    else writes.dropSymbol(row.id)
  }
  const words = wordsOfName(path).join(' ')
  for (const row of rows)
    if (same.has(row.id)) writes.changeSymbol(row)
    else
      writes.addSymbol(row, {
        name: wordsIn(row.name),
        signature: row.signature,
        doc: row.doc ?? '',
        path: words,
      })
}

/** Returns the words of a name, and the whole name. */
function wordsIn(name: string): string {
  const words = wordsOfName(name)
  return words.length > 1 ? `${words.join(' ')} ${words.join('')}` : name
}

function keyOf({ kind, qualified_name }: Pick<SymbolRow, 'kind' | 'qualified_name'>): string {
  return `${kind} ${qualified_name}`
}

function numbersOf(
  before: readonly SymbolRow[],
  symbols: readonly ParsedSymbol[],
  nextSymbol: () => number,
): number[] {
  const known = new Map<string, number[]>()
  for (const row of before) known.set(keyOf(row), [...(known.get(keyOf(row)) ?? []), row.id])
  return symbols.map(symbol => known.get(keyOf(symbol))?.shift() ?? nextSymbol())
}

function namesChanged(
  before: readonly SymbolRow[],
  symbols: readonly ParsedSymbol[],
  ids: readonly number[],
): { names: Set<string> } {
  const kept = new Map(symbols.map((symbol, at) => [ids[at], symbol]))
  const known = new Set(before.map(({ id }) => id))
  const names = new Set<string>()
  for (const row of before) {
    const now = kept.get(row.id)
    if (!now || now.exported !== (row.exported === 1)) names.add(row.name)
  }
  for (const [at, { name }] of symbols.entries()) if (!known.has(ids[at] as number)) names.add(name)
  return { names }
}

function rowOf(symbol: ParsedSymbol, ids: readonly number[], at: number, file: number): SymbolRow {
  return {
    ...symbol,
    id: ids[at] as number,
    file,
    parent: numberOf(symbol.parent, ids),
    name_folded: symbol.name.toLowerCase(),
    exported: symbol.exported ? 1 : 0,
  }
}

function edgeOf(
  { targets, source, ...edge }: ParsedEdge,
  ids: readonly number[],
  file: number,
): Omit<EdgeRow, 'id'> {
  const symbols = targets.map(at => ({ id: ids[at] as number }))
  const [only, other] = symbols
  const binding = other
    ? ambiguous(symbols)
    : { ...unresolved, ...(only && { target: only.id, confidence: 'certain' as const }) }
  return {
    ...edge,
    ...binding,
    file,
    source: numberOf(source, ids),
    // The file's own scopes decide its target.
    target_file: only ? file : null,
  }
}

function numberOf(place: number | null, ids: readonly number[]): number | null {
  return place === null ? null : (ids[place] as number)
}
