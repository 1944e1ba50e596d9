import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { ContentContext } from './step.js'
import { weights } from './weights.js'

/**
 * Sets the evidence of a document's chunks to 0 after its best few: a long document contains the words of a
 * question in many places and would leave no room for others.
 *
 * @returns factors by memory id
 */
export function crowdingFactors(
  rows: ContentContext['rows'],
  evidence: (id: string) => number | undefined,
): Map<string, number> {
  const chunks: [id: string, document: string][] = []
  for (const [id, { type, source_id: documentId }] of rows)
    if (type === chunkType && documentId) chunks.push([id, documentId])
  const standing = (id: string): number => evidence(id) ?? 0
  chunks.sort(([a], [b]) => standing(b) - standing(a) || (a < b ? -1 : 1))
  const kept = new Map<string, number>()
  const factors = new Map<string, number>()
  for (const [id, documentId] of chunks) {
    const count = (kept.get(documentId) ?? 0) + 1
    kept.set(documentId, count)
    if (count > weights.document.chunks) factors.set(id, 0)
  }
  return factors
}
