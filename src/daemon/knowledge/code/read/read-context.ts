import type { Reply } from '../../../../contract/api.js'
import type { SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import { findSymbols, importersOf, type Neighbour, usedSymbolsOf, usersOf } from './neighbours.js'
import type { OpenIndex } from './open-index.js'
import { fileRecord, symbolRecord } from './symbol-record.js'

type Context = Reply<'GET /api/code/context'>
type Definition = Context['definitions'][number]

/** Definitions described in full if several have the name. */
const mostDefinitions = 5
/** Entries per list. */
const mostEntries = 50
const mostMembers = 1000

const containers: ReadonlySet<string> = new Set(['class', 'interface', 'type', 'enum', 'module'])

/**
 * Returns the definitions of a symbol with their users and the symbols they use (code-index.md 6).
 * @throws AppError `not_found`
 */
export function readContext(index: OpenIndex, symbol: string): Context {
  const meant = findSymbols(index, symbol)
  const definitions = meant.file
    ? [fileDefinition(index, meant.file)]
    : meant.symbols.slice(0, mostDefinitions).map(one => definitionOf(index, one))
  return { project: index.root, symbol, total: Math.max(1, meant.symbols.length), definitions }
}

function definitionOf({ reads }: OpenIndex, symbol: SymbolInFile): Definition {
  const members = reads.membersOf(symbol.id, mostMembers)
  const inside = containers.has(symbol.kind) ? [symbol] : withInner({ reads }, symbol)
  const own = new Set(inside.map(({ id }) => id))
  const callees = inside
    .flatMap(one => usedSymbolsOf(reads, one))
    .filter(({ row }) => !row || !own.has(row.id))
  return toDefinition({
    symbol: symbolRecord(symbol),
    members: members.map(symbolRecord),
    callers: usersOf(reads, symbol),
    callees,
    importedBy: symbol.parent === null ? importersOf(reads, symbol.path, symbol.name) : [],
  })
}

function fileDefinition(
  { reads }: OpenIndex,
  file: Parameters<typeof fileRecord>[0] & { id: number },
): Definition {
  const symbols = reads.symbolsIn(file.id, mostMembers)
  return toDefinition({
    symbol: fileRecord(file),
    members: symbols.filter(({ parent }) => parent === null).map(symbolRecord),
    callers: [],
    callees: [],
    importedBy: importersOf(reads, file.path),
  })
}

/** Symbols defined within a function belong to it. */
export function withInner({ reads }: Pick<OpenIndex, 'reads'>, symbol: SymbolInFile): SymbolInFile[] {
  const all = [symbol]
  // The list grows while it is iterated.
  for (const one of all) if (all.length < mostMembers) all.push(...reads.membersOf(one.id, mostMembers))
  return all
}

interface Lists {
  symbol: Definition['symbol']
  members: Definition['members']
  callers: Neighbour[]
  callees: Neighbour[]
  importedBy: Neighbour[]
}

function toDefinition({ symbol, members, callers, callees, importedBy }: Lists): Definition {
  const omitted = (list: readonly unknown[]): number => Math.max(0, list.length - mostEntries)
  const shown = <T>(list: readonly T[]): T[] => list.slice(0, mostEntries)
  const edge = ({ symbol: end, relation, certainty, at }: Neighbour) => ({
    symbol: end,
    relation,
    certainty,
    at,
  })
  return {
    symbol,
    members: shown(members),
    callers: shown(callers).map(edge),
    callees: shown(callees).map(edge),
    importedBy: shown(importedBy).map(({ at, certainty }) => ({ ...at, certainty })),
    omitted: {
      members: omitted(members),
      callers: omitted(callers),
      callees: omitted(callees),
      importedBy: omitted(importedBy),
    },
  }
}
