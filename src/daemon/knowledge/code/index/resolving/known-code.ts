import { posix } from 'node:path'
import type {
  CodeLookups,
  IndexedFile,
  NamedSymbol,
} from '../../../../../store/tables/knowledge/code-lookups.js'
import type { CodeImportRow } from '../../../../../store/tables/knowledge/code-rows.js'
import type { Language } from '../languages/language.js'
import { languages } from '../languages/language-of.js'
import { moduleOf } from '../languages/rust.js'

export interface KnownFile {
  id: number
  path: string
  folder: string
  language: Language | undefined
}

/** Symbols with the same name. */
interface Namesakes {
  all: readonly NamedSymbol[]
  byFile: ReadonlyMap<number, readonly NamedSymbol[]>
  byParent: ReadonlyMap<number, readonly NamedSymbol[]>
}

const none: readonly NamedSymbol[] = []
const byId = new Map(languages.map(language => [language.id, language]))

/**
 * The possible meanings of a name: candidate symbols, a module path, something outside of the project
 * (`external`), or undefined if unknown.
 */
export type Meaning =
  | { symbols: readonly NamedSymbol[]; isSure: boolean }
  | { module: string }
  | 'external'
  | undefined

/** Caches lookups in the index while names are resolved; nothing else may write during that time. */
export class KnownCode {
  readonly #lookups: CodeLookups
  readonly #files = new Map<number, KnownFile>()
  readonly #byPath = new Map<string, KnownFile>()
  readonly #byName = new Map<string, Namesakes>()
  readonly #byQualified = new Map<string, readonly NamedSymbol[]>()
  readonly #imports = new Map<number, readonly CodeImportRow[]>()
  readonly #inherited = new Map<number, readonly (number | null)[]>()
  readonly #packages = new Map<number, string>()
  readonly #folders = new Set<string>()
  #isAllKnown = false
  readonly #rustModules = new Map<string, KnownFile>()
  readonly #crates = new Map<string, string[][]>()

  /** @param isWhole loads all files at once, because each will be needed */
  constructor(lookups: CodeLookups, { packages }: Manifests, isWhole: boolean) {
    this.#lookups = lookups
    if (isWhole) this.#knowAll()
    for (const { kind, name, folder } of packages) {
      if (kind !== 'cargo') continue
      const crate = name.replaceAll('-', '_')
      const parts = folder.split('/').filter(part => part !== '.')
      this.#crates.set(crate, [...(this.#crates.get(crate) ?? []), parts])
    }
  }

  #knowAll(): void {
    if (this.#isAllKnown) return
    this.#isAllKnown = true
    for (const row of this.#lookups.indexedFiles()) {
      const known = this.#know(row)
      for (let at = known.folder; !this.#folders.has(at); at = posix.dirname(at)) this.#folders.add(at)
      if (known.language?.family === 'rust') this.#rustModules.set(moduleOf(known.path), known)
    }
  }

  #know({ id, path, language }: IndexedFile): KnownFile {
    const before = this.#files.get(id)
    if (before) return before
    const known = { id, path, folder: posix.dirname(path), language: byId.get(language ?? '') }
    this.#files.set(id, known)
    this.#byPath.set(path, known)
    return known
  }

  file(id: number): KnownFile | undefined {
    const known = this.#files.get(id)
    if (known || this.#isAllKnown) return known
    const row = this.#lookups.indexedFile(id)
    return row && this.#know(row)
  }

  at(path: string): KnownFile | undefined {
    const known = this.#byPath.get(path)
    if (known || this.#isAllKnown) return known
    const row = this.#lookups.indexedFileAt(path)
    return row && this.#know(row)
  }

  isFolder(path: string): boolean {
    this.#knowAll()
    return this.#folders.has(path)
  }

  files(): IterableIterator<KnownFile> {
    this.#knowAll()
    return this.#files.values()
  }

  named(name: string): readonly NamedSymbol[] {
    return this.#namesakes(name).all
  }

  inFile(name: string, file: number): readonly NamedSymbol[] {
    return this.#namesakes(name).byFile.get(file) ?? none
  }

  inSymbol(name: string, parent: number): readonly NamedSymbol[] {
    return this.#namesakes(name).byParent.get(parent) ?? none
  }

  qualified(name: string): readonly NamedSymbol[] {
    return cached(this.#byQualified, name, () => this.#lookups.symbolsQualified(name))
  }

  symbol(id: number): NamedSymbol | undefined {
    return this.#lookups.symbol(id)
  }

  imports(file: number): readonly CodeImportRow[] {
    return cached(this.#imports, file, () => this.#lookups.importsOf(file))
  }

  /** Drops cached imports and base types after they were written again. */
  forgetLinks(): void {
    this.#imports.clear()
    this.#inherited.clear()
  }

  inherited(symbol: number): readonly (number | null)[] {
    return cached(this.#inherited, symbol, () => this.#lookups.inherited(symbol))
  }

  /** Returns the package or namespace of a file, from its first symbol. */
  packageOf(file: number): string {
    return cached(this.#packages, file, () => {
      const first = this.#lookups.firstSymbol(file)
      return first ? first.qualified_name.slice(0, -first.name.length).replace(/\.$/u, '') : ''
    })
  }

  /** Returns the file of a Rust module by its full name. */
  rustModule(name: string): KnownFile | undefined {
    this.#knowAll()
    return this.#rustModules.get(name)
  }

  /** Returns the folders of crates with this name, split into parts. */
  crates(name: string): readonly string[][] {
    return this.#crates.get(name) ?? []
  }

  #namesakes(name: string): Namesakes {
    return cached(this.#byName, name, () => {
      const all = this.#lookups.symbolsNamed(name)
      return { all, byFile: groupedBy(all, 'file'), byParent: groupedBy(all, 'parent') }
    })
  }
}

function cached<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function groupedBy(all: readonly NamedSymbol[], key: 'file' | 'parent'): Map<number, NamedSymbol[]> {
  const groups = new Map<number, NamedSymbol[]>()
  for (const symbol of all) {
    const of = symbol[key]
    if (of === null) continue
    const group = groups.get(of)
    if (group) group.push(symbol)
    else groups.set(of, [symbol])
  }
  return groups
}

/** Package names and path aliases of the project. */
export interface Manifests {
  /** From package.json, with its main file, go.mod and Cargo.toml. */
  packages: readonly { kind: 'npm' | 'go' | 'cargo'; name: string; folder: string; main?: string }[]
  /** `paths` and `baseUrl` of tsconfig.json: a prefix and its replacement. */
  aliases: readonly { from: string; to: string }[]
}
