import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import { currentnessFactors, groundFactors } from './currentness.js'
import { dateEvidence, standingEvidence, timeEvidence } from './dates.js'
import type { EvidenceTable } from './evidence-table.js'
import { fuse, hintCaps } from './fuse.js'
import { authorEvidence, expansionEvidence, questionEvidence, replyEvidence } from './hit-evidence.js'
import { addNeighbours, neighbourEvidence, sessionEvidence } from './session.js'
import type { ContentContext, ContentStep, IdStep } from './step.js'
import { weights } from './weights.js'

/**
 * Ends both halves, so that none of their steps lifts a hint-only row above a grounded one (recall.md 1.3.5).
 */
const hintCap = {
  name: 'hint_cap',
  effect: 'multiply',
  optional: false,
  untimed: true,
  run: (_context: unknown, table: EvidenceTable) => hintCaps(table),
} as const

/**
 * The steps of a ranking in order (docs/ranking.md shows them as a table). Steps that see ids run on all
 * found rows; then rows are authorised and loaded, and steps that see content run on these (recall.md 1.3.6).
 */
export const steps: readonly (IdStep | ContentStep)[] = [
  { name: 'fuse', sees: 'ids', effect: 'find', optional: false, run: ({ hits, rows }) => fuse(hits, rows) },
  {
    name: 'claims',
    sees: 'ids',
    effect: 'add',
    optional: true,
    when: ({ graph }) => graph !== undefined && graph.claims.size > 0,
    run: ({ graph }) => graph?.claims,
  },
  {
    name: 'traversal',
    sees: 'ids',
    effect: 'add',
    optional: true,
    when: ({ graph }) => graph !== undefined && graph.traversal.size > 0,
    run: ({ graph }) => graph?.traversal,
  },
  {
    name: 'widen',
    sees: 'ids',
    effect: 'widen',
    optional: true,
    needsFacts: true,
    run: addNeighbours,
  },
  { name: 'expansion', sees: 'ids', effect: 'add', optional: true, run: expansionEvidence },
  { name: 'session', sees: 'ids', effect: 'add', optional: true, needsFacts: true, run: sessionEvidence },
  {
    name: 'neighbours',
    sees: 'ids',
    effect: 'add',
    optional: true,
    needsFacts: true,
    run: neighbourEvidence,
  },
  { name: 'author', sees: 'ids', effect: 'multiply', optional: true, needsFacts: true, run: authorEvidence },
  { name: 'date', sees: 'ids', effect: 'multiply', optional: true, needsFacts: true, run: dateEvidence },
  { ...hintCap, sees: 'ids' },
  {
    name: 'replies',
    sees: 'content',
    effect: 'add',
    optional: true,
    run: (context, table) => replyEvidence(context, id => table.ownOf(id)),
  },
  { name: 'questions', sees: 'content', effect: 'multiply', optional: true, run: questionEvidence },
  { name: 'time_words', sees: 'content', effect: 'multiply', optional: true, run: timeEvidence },
  { name: 'standing', sees: 'content', effect: 'multiply', optional: true, run: standingEvidence },
  { ...hintCap, sees: 'content' },
  {
    name: 'feedback',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    when: ({ ratings }) => ratings.size > 0,
    run: ({ ratings }) => ratingFactors(ratings),
  },
  {
    name: 'judgement',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    when: ({ judged }) => judged !== undefined && judged.size > 0,
    run: ({ judged }) => new Map([...(judged ?? [])].map(([id, rating]) => [id, judgementFactor(rating)])),
  },
  {
    name: 'project',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    when: ({ ownProject }) => ownProject !== undefined && ownProject.size > 0,
    run: ({ ownProject }) => new Map([...(ownProject ?? [])].map(id => [id, weights.ownProject])),
  },
  {
    name: 'ground',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    when: ({ ground }) => ground !== undefined && ground.size > 0,
    run: ({ ground }) => groundFactors(ground ?? new Map()),
  },
  {
    name: 'currentness',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    run: ({ rows, now }, table) =>
      currentnessFactors(rows, id => table.evidenceOf(id), new Date(now).toISOString()),
  },
  {
    name: 'crowding',
    sees: 'content',
    effect: 'multiply',
    optional: true,
    when: ({ spread }) => spread === true,
    run: ({ rows }, table) => crowdingFactors(rows, id => table.evidenceOf(id)),
  },
]

/** Returns the factor of a person's judgement: 1 helpful, -1 not helpful, -2 wrong, 0 none. */
export function judgementFactor(rating: number): number {
  if (rating === 0) return 1
  if (rating > 0) return weights.judgement.up
  return rating < -1 ? weights.judgement.wrong : weights.judgement.down
}

/**
 * Applies the session's ratings of rows it was shown before (recall.md 4.9): harmful halves, helpful adds
 * half.
 *
 * @param ratings -1 to 1 by memory id
 * @returns factors by memory id, 0.5 to 1.5
 */
export function ratingFactors(ratings: ReadonlyMap<string, number>): Map<string, number> {
  const factors = new Map<string, number>()
  for (const [id, rating] of ratings) if (rating !== 0) factors.set(id, 1 + weights.feedback * rating)
  return factors
}

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
