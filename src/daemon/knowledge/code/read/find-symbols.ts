import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'
import type { FileRow } from '../../../../store/tables/knowledge/code-rows.js'
import type { OpenIndex } from './open-index.js'

/** Limit of symbols with the same name. */
const mostNamed = 1000
const mostGuesses = 5

/** The symbols or the file that a query names. */
export type SymbolMatch = { symbols: SymbolInFile[]; file?: undefined } | { symbols: []; file: FileRow }

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
