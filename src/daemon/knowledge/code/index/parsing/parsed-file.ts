import type { EdgeRow, ImportRow, SymbolRow } from '../../../../../store/tables/knowledge/code-rows.js'

/** A symbol of a file; others of it are named by their places in the list. */
export type ParsedSymbol = Omit<SymbolRow, 'id' | 'file' | 'parent' | 'name_folded' | 'exported'> & {
  parent: number | null
  exported: boolean
}

/** A name that a file uses. What its own scopes say of it stands here; the rest is found among all files. */
export type ParsedEdge = Pick<EdgeRow, 'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count'> & {
  source: number | null
  /** Symbols of the same file: one that is meant, or several of which one is. */
  targets: readonly number[]
}

export type ParsedImport = Omit<ImportRow, 'id' | 'file' | 'target' | 'exported'> & { exported: boolean }

export interface ParsedFile {
  lines: number
  hasErrors: boolean
  symbols: ParsedSymbol[]
  imports: ParsedImport[]
  edges: ParsedEdge[]
}
