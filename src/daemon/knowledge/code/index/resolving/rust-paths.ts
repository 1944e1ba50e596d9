import { moduleOf } from '../languages/rust.js'
import type { KnownCode, KnownFile, Meaning } from './known-code.js'

/** Maximum of imports and re-exports followed. */
const maxSteps = 100

/**
 * Resolves a Rust path in a file: `crate::a::B`, `self::b`, `super::c`, `other_crate::d`, a relative one, or
 * one that begins with an imported name.
 */
export function rustPath(
  path: string,
  file: KnownFile,
  code: KnownCode,
  asked: Set<string> = new Set(),
): Meaning {
  const parts = path.split('::').filter(part => part && part !== '*')
  for (const names of startsOf(parts, file, code)) {
    const found = meaningOfFullName(names, code, asked)
    if (found) return found
  }
  const [first = '', ...rest] = parts
  if (rest.length === 0) return undefined
  const row = code.imports(file.id).find(({ local, name }) => local === first && name !== '')
  const question = `${file.path} ${path}`
  // `use a::b::a` does not define the `a` before it; imports of each other's names may form growing cycles.
  if (!row || row.specifier.split('::')[0] === first || asked.size > maxSteps || asked.has(question))
    return undefined
  asked.add(question)
  return rustPath([row.specifier, row.name, ...rest].join('::'), file, code, asked)
}

/** Returns the possible full names of a path, prefixed with the crate's folder. */
function startsOf(parts: readonly string[], file: KnownFile, code: KnownCode): string[][] {
  const here = moduleOf(file.path).split('.').filter(Boolean)
  const crate = crateOf(file.path)
  const [first = '', ...rest] = parts
  if (first === 'crate') return [[...crate, ...rest]]
  if (first === 'self') return [[...here, ...rest]]
  if (first === 'super') return [upFrom(here, parts)]
  return [[...here, ...parts], [...crate, ...parts], ...code.crates(first).map(at => [...at, ...rest])]
}

/** Finds a symbol by its full name, or a re-export of its module. */
function meaningOfFullName(names: readonly string[], code: KnownCode, asked: Set<string>): Meaning {
  const full = names.join('.')
  const symbols = code.qualified(full).filter(({ file }) => code.file(file)?.language?.family === 'rust')
  if (symbols.length > 0) return { symbols, isSure: true }
  if (asked.has(full)) return undefined
  asked.add(full)
  const module = code.rustModule(names.slice(0, -1).join('.'))
  const name = names.at(-1)
  const handedOn = module ? code.imports(module.id).filter(({ exported }) => exported === 1) : []
  for (const row of handedOn) {
    const isWhole = row.name === '*' && row.local === ''
    if (!module || (row.local !== name && !isWhole)) continue
    const found = rustPath(`${row.specifier}::${isWhole ? name : row.name}`, module, code, asked)
    if (found) return found
  }
  return undefined
}

function upFrom(here: readonly string[], parts: readonly string[]): string[] {
  const ups = parts.findIndex(part => part !== 'super')
  const count = ups < 0 ? parts.length : ups
  return [...here.slice(0, Math.max(0, here.length - count)), ...parts.slice(count)]
}

/** Returns the folder of a crate, which prefixes the names of its symbols. */
function crateOf(path: string): string[] {
  const parts = path.split('/')
  const source = parts.lastIndexOf('src')
  return source < 0 ? parts.slice(0, -1) : parts.slice(0, source)
}
