import { posix } from 'node:path'
import type { NamedSymbol } from '../../../../../store/tables/knowledge/code-lookups.js'
import type { CodeImportRow } from '../../../../../store/tables/knowledge/code-rows.js'
import type { KnownCode, KnownFile, Meaning } from './known-code.js'
import { pythonAt } from './modules.js'
import { rustPath } from './rust-paths.js'

/** Visited names of modules, because modules may re-export each other in cycles. */
type VisitedNames = Set<string>

/** Resolves an unqualified name in a file through its imports and its package. */
export function meaningOf(name: string, file: KnownFile, code: KnownCode): Meaning {
  const own = topLevel(code.inFile(name, file.id))
  if (own.length > 0) return sure(own)
  const imports = code.imports(file.id)
  const named = imports.find(row => row.local === name && isNameIn(row, file))
  if (named) return meaningOfImport(named, file, code)
  return meaningInPackage(name, file, code) ?? meaningInWildcards(name, imports, file, code)
}

/** True if the file can use an import under that name; in JavaScript a re-export binds no local name. */
export function isNameIn({ exported }: CodeImportRow, { language }: KnownFile): boolean {
  return exported === 0 || language?.family !== 'javascript'
}

/** Resolves an import. */
export function meaningOfImport(
  row: CodeImportRow,
  file: KnownFile,
  code: KnownCode,
  asked: VisitedNames = new Set(),
): Meaning {
  const family = file.language?.family
  if (family === 'rust') return rustPath(`${row.specifier}::${row.name}`, file, code) ?? 'external'
  if (family === 'java' || family === 'csharp' || family === 'php') {
    const found = code.qualified([row.specifier, row.name].filter(Boolean).join('.'))
    return found.length > 0 ? sure(found) : 'external'
  }
  if (row.target === null) return 'external'
  if (row.name === '*') return { module: row.target }
  return meaningInModule(row.target, row.name, code, asked)
}

/** Resolves a name of a module. */
export function meaningInModule(
  module: string,
  name: string,
  code: KnownCode,
  asked: VisitedNames = new Set(),
): Meaning {
  if (module.endsWith('/')) {
    const folder = module.slice(0, -1)
    return found(topLevel(code.named(name)).filter(({ file }) => code.file(file)?.folder === folder))
  }
  const file = code.at(module)
  const question = `${module} ${name}`
  if (!file || asked.has(question)) return undefined
  asked.add(question)
  const own = topLevel(code.inFile(name, file.id))
  if (own.length > 0 && name !== 'default') return sure(own)
  const handedOn = code.imports(file.id).filter(({ exported }) => exported === 1)
  const named = handedOn.find(({ local }) => local === name)
  if (named) return meaningOfReexport(named, module, code, asked)
  const submodule = file.language?.family === 'python' ? pythonBelow(module, name, code) : null
  if (submodule) return { module: submodule }
  const meanings = handedOn
    .filter(({ local, name: taken, target }) => local === '' && taken === '*' && target !== null)
    .map(({ target }) => meaningInModule(target as string, name, code, asked))
    .filter(meaning => meaning !== undefined)
  return meanings.length > 1 ? mergeMeanings(meanings) : meanings[0]
}

/** Resolves a name that a module re-exports. */
function meaningOfReexport(
  { target, name }: CodeImportRow,
  module: string,
  code: KnownCode,
  asked: VisitedNames,
): Meaning {
  if (target === null) return 'external'
  if (name === '*') return { module: target }
  if (target !== module) return meaningInModule(target, name, code, asked)
  const file = code.at(module)
  const own = file ? topLevel(code.inFile(name, file.id)) : []
  if (own.length > 0 || !file) return found(own)
  const row = code.imports(file.id).find(({ local, exported }) => local === name && exported === 0)
  return row ? meaningOfImport(row, file, code, asked) : undefined
}

function pythonBelow(module: string, name: string, code: KnownCode): string | null {
  if (!/(?:^|\/)__init__\.pyi?$/u.test(module)) return null
  return pythonAt(posix.join(posix.dirname(module), name), code)
}

/** Resolves names shared between the files of a package. */
function meaningInPackage(name: string, file: KnownFile, code: KnownCode): Meaning {
  switch (file.language?.family) {
    case 'go':
      return found(topLevel(code.named(name)).filter(one => code.file(one.file)?.folder === file.folder))
    case 'java':
    case 'php':
      return found(code.qualified([code.packageOf(file.id), name].filter(Boolean).join('.')))
    case 'csharp': {
      const parts = code.packageOf(file.id).split('.').filter(Boolean)
      for (let length = parts.length; length >= 0; length--) {
        const here = found(code.qualified([...parts.slice(0, length), name].join('.')))
        if (here) return here
      }
      return undefined
    }
    case 'ruby': {
      const constants = code.named(name).filter(({ kind }) => ['class', 'module', 'constant'].includes(kind))
      return constants.length > 0 ? { symbols: constants, isSure: false } : undefined
    }
    default:
      return undefined
  }
}

/** Resolves a name through wildcard imports. */
function meaningInWildcards(
  name: string,
  imports: readonly CodeImportRow[],
  file: KnownFile,
  code: KnownCode,
): Meaning {
  const wholes = imports.filter(({ local, name: taken }) => local === '' && taken === '*')
  const family = file.language?.family
  const seen = new Set<string>()
  const meanings = wholes.flatMap((row): Meaning[] => {
    if (family === 'java' || family === 'csharp') return [found(code.qualified(`${row.specifier}.${name}`))]
    if (family === 'rust') return [rustPath(`${row.specifier}::${name}`, file, code)]
    if (row.target === null) return []
    return family === 'cpp' || family === 'ruby' || family === 'bash'
      ? [meaningInInclude(row.target, name, code, seen)]
      : [meaningInModule(row.target, name, code)]
  })
  return mergeMeanings(meanings.filter(meaning => meaning !== undefined))
}

/** Resolves a name in an included file and in the files it includes. */
function meaningInInclude(path: string, name: string, code: KnownCode, seen: Set<string>): Meaning {
  const file = code.at(path)
  if (!file || seen.has(path) || seen.size > 200) return undefined
  seen.add(path)
  const own = code.inFile(name, file.id).filter(({ kind }) => kind !== 'field')
  if (own.length > 0) return { symbols: own, isSure: file.language?.family === 'bash' }
  const source = ['.cpp', '.cc', '.c', '.cxx'].map(ending => path.replace(/\.\w+$/u, ending))
  for (const one of source) {
    const beside = one === path ? undefined : code.at(one)
    const defined = beside ? topLevel(code.inFile(name, beside.id)) : []
    if (defined.length > 0) return { symbols: defined, isSure: false }
  }
  return mergeMeanings(
    code
      .imports(file.id)
      .flatMap(({ target }) => (target ? [meaningInInclude(target, name, code, seen)] : []))
      .filter(meaning => meaning !== undefined),
  )
}

/** Merges several ways to a name; sure if all ways are. */
function mergeMeanings(meanings: readonly Exclude<Meaning, undefined>[]): Meaning {
  const symbols = new Map<number, NamedSymbol>()
  let isSure = true
  for (const meaning of meanings) {
    if (meaning === 'external' || 'module' in meaning) continue
    isSure &&= meaning.isSure
    for (const symbol of meaning.symbols) symbols.set(symbol.id, symbol)
  }
  return symbols.size > 0 ? { symbols: [...symbols.values()], isSure } : meanings[0]
}

export function topLevel(symbols: readonly NamedSymbol[]): readonly NamedSymbol[] {
  return symbols.filter(({ parent, kind }) => parent === null && kind !== 'route')
}

function sure(symbols: readonly NamedSymbol[]): Meaning {
  return { symbols, isSure: true }
}

function found(symbols: readonly NamedSymbol[]): Meaning {
  return symbols.length > 0 ? sure(symbols) : undefined
}
