import type { Reply } from '../../../../contract/api.js'
import type { PlacedSymbol } from '../../../../store/tables/knowledge/code-reads.js'
import { findMeant } from './find-symbols.js'
import { importersOf, type Neighbour, usedBy, usersOf } from './neighbours.js'
import type { OpenIndex } from './open-index.js'
import { fileRecord, symbolRecord } from './symbol-record.js'

type Context = Reply<'GET /api/code/context'>
type Definition = Context['definitions'][number]

/** Definitions that are told of in full, where several have the name. */
const mostDefinitions = 5
/** Entries of each list. */
const mostEntries = 50
const mostMembers = 1000

const containers: ReadonlySet<string> = new Set(['class', 'interface', 'type', 'enum', 'module'])

/** Definition of a symbol, what uses it and what it uses (code-index.md 6). @throws AppError `not_found` */
export function readContext(index: OpenIndex, symbol: string): Context {
  const meant = findMeant(index, symbol)
  const definitions = meant.file
    ? [fileDefinition(index, meant.file)]
    : meant.symbols.slice(0, mostDefinitions).map(one => definitionOf(index, one))
  return { project: index.root, symbol, total: Math.max(1, meant.symbols.length), definitions }
}

function definitionOf({ reads }: OpenIndex, symbol: PlacedSymbol): Definition {
  const members = reads.membersOf(symbol.id, mostMembers)
  const inside = containers.has(symbol.kind) ? [symbol] : withInner({ reads }, symbol)
  const own = new Set(inside.map(({ id }) => id))
  const callees = inside.flatMap(one => usedBy(reads, one)).filter(({ row }) => !row || !own.has(row.id))
  return listed({
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
  return listed({
    symbol: fileRecord(file),
    members: symbols.filter(({ parent }) => parent === null).map(symbolRecord),
    callers: [],
    callees: [],
    importedBy: importersOf(reads, file.path),
  })
}

/** What is defined within a function is a part of it. */
export function withInner({ reads }: Pick<OpenIndex, 'reads'>, symbol: PlacedSymbol): PlacedSymbol[] {
  const all = [symbol]
  // The list grows while it is walked.
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

function listed({ symbol, members, callers, callees, importedBy }: Lists): Definition {
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
