import type { CodeSymbolRecord } from '../../../../contract/knowledge/code.js'
import type { SymbolInFile } from '../../../../store/tables/knowledge/code-reads.js'

export function symbolRecord(row: SymbolInFile): CodeSymbolRecord {
  return {
    name: row.name,
    qualified: row.qualified_name,
    kind: row.kind,
    path: row.path,
    line: row.start_line,
    endLine: row.end_line,
    language: row.language ?? '',
    signature: row.signature || null,
    doc: row.doc,
  }
}

/** Describes a file as a symbol, for uses outside of any symbol. */
export function fileRecord({ path, language, lines }: FileFacts): CodeSymbolRecord {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return {
    name,
    qualified: path,
    kind: 'file',
    path,
    line: 1,
    endLine: Math.max(1, lines ?? 1),
    language: language ?? '',
    signature: null,
    doc: null,
  }
}

interface FileFacts {
  path: string
  language?: string | null
  lines?: number
}
