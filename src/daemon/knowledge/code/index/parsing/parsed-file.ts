import type { CodeImportRow, EdgeRow, SymbolRow } from '../../../../../store/tables/knowledge/code-rows.js'

/** A symbol of a file; other symbols are referenced by their index in the list. */
export type ParsedSymbol = Omit<SymbolRow, 'id' | 'file' | 'parent' | 'name_folded' | 'exported'> & {
  parent: number | null
  exported: boolean
}

/** A used name with its binding within the file; the rest is bound among all files later. */
export type ParsedEdge = Pick<EdgeRow, 'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count'> & {
  source: number | null
  /** Symbols of the same file: the target, or several possible ones. */
  targets: readonly number[]
}

export type ParsedImport = Omit<CodeImportRow, 'id' | 'file' | 'target' | 'exported'> & { exported: boolean }

export interface ParsedFile {
  lines: number
  hasErrors: boolean
  symbols: ParsedSymbol[]
  imports: ParsedImport[]
  edges: ParsedEdge[]
}
