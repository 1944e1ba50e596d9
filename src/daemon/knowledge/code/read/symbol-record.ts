import type { CodeSymbolRecord } from '../../../../contract/knowledge/code.js'
import type { PlacedSymbol } from '../../../../store/tables/knowledge/code-reads.js'

export function symbolRecord(row: PlacedSymbol): CodeSymbolRecord {
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

/** What is written in no symbol stands in its file. */
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
