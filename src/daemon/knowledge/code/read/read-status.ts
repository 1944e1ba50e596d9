import type { Reply } from '../../../../contract/api.js'
import type { CodeReads } from '../../../../store/tables/knowledge/code-reads.js'
import type { OpenIndex } from './open-index.js'

/** The state of an index without the current activity. */
export type IndexState = Omit<Reply<'GET /api/code/status'>, 'watching' | 'job'>

export function readStatus({ root, reads, about, bytes }: OpenIndex): IndexState {
  const edges = reads.edgesByConfidence().filter(({ confidence }) => confidence !== 'unresolved')
  return {
    project: root,
    indexed: true,
    indexedAt: about.finishedAt || null,
    ...countsOf(reads),
    symbols: reads.countSymbols(),
    edges: edges.reduce((sum, one) => sum + one.edges, reads.countImports()),
    ambiguousEdges: edges.find(({ confidence }) => confidence === 'ambiguous')?.edges ?? 0,
    bytes,
    languages: reads.languages(),
  }
}

/** Returns the state of a project without an index. */
export function withoutIndex(root: string): IndexState {
  const nothing = { files: 0, failed: 0, skipped: 0, symbols: 0, edges: 0, ambiguousEdges: 0, bytes: 0 }
  return { project: root, indexed: false, indexedAt: null, ...nothing, languages: [] }
}

/** Counts files by outcome. */
export function countsOf(reads: CodeReads): { files: number; failed: number; skipped: number } {
  const rows = reads.filesByStatus()
  const sum = (...wanted: readonly string[]): number =>
    rows.reduce((total, { status, files }) => total + (wanted.includes(status) ? files : 0), 0)
  return { files: sum('indexed', 'partial'), failed: sum('failed'), skipped: sum('skipped') }
}
