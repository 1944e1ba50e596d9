import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { PlacedSymbol } from '../../../../store/tables/knowledge/code-reads.js'
import type { FileRow } from '../../../../store/tables/knowledge/code-rows.js'
import type { OpenIndex } from './open-index.js'

/** Symbols of one name that are looked at. */
const mostNamed = 1000
const mostGuesses = 5

/** What a caller means by a symbol: all that have the name, or a whole file. */
export type Meant = { symbols: PlacedSymbol[]; file?: undefined } | { symbols: []; file: FileRow }

/**
 * Finds what `name`, `Class.method`, `path:name` or `path` means. Nothing that is merely like it is taken instead
 * (code-index.md 6).
 * @throws AppError `not_found`, with names that are like it.
 */
export function findMeant(index: OpenIndex, given: string): Meant {
  const file = index.reads.fileAt(given)
  if (file?.parser) return { symbols: [], file }
  const { path, name } = partsOf(given)
  const symbols = symbolsOf(index, name).filter(symbol => path === undefined || isAt(symbol.path, path))
  if (symbols.length > 0) return { symbols: inOrder(symbols) }
  throw new AppError(
    'not_found',
    `there is no symbol ${quoted(given)} in ${index.root}${guesses(index, name)}`,
  )
}

/** A path before a colon has a dot or a slash; `std::name` of C++ and Rust is a name. */
function partsOf(given: string): { path: string | undefined; name: string } {
  const [, path, name] = /^([^:]*[./][^:]*):([^:]+)$/u.exec(given) ?? []
  return { path, name: plainName(name ?? given) }
}

/** Names are joined by dots in the index, whatever their language writes. */
function plainName(name: string): string {
  return name.replace(/::|#|->/gu, '.').replace(/\(\)$/u, '')
}

function symbolsOf({ reads }: OpenIndex, name: string): PlacedSymbol[] {
  const whole = reads.symbolsQualified(name, mostNamed)
  const last = name.slice(name.lastIndexOf('.') + 1)
  const others = reads
    .symbolsNamed(last, mostNamed)
    .filter(symbol => last === name || symbol.qualified_name.endsWith(`.${name}`))
  // Routes and names of languages with dots of their own are named as they are.
  const exact = last === name ? [] : reads.symbolsNamed(name, mostNamed)
  return [...new Map([...whole, ...others, ...exact].map(symbol => [symbol.id, symbol])).values()]
}

function isAt(path: string, wanted: string): boolean {
  return path === wanted || path.endsWith(`/${wanted}`)
}

/** What others can name first, then by place: the same every time. */
function inOrder(symbols: PlacedSymbol[]): PlacedSymbol[] {
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
  return names.length > 0 ? `; there is ${names.join(', ')}` : '; memory code search finds it by words'
}
