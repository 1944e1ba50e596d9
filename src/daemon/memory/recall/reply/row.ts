import type { TieKind, TieState } from '../../../../contract/ground/wire-names.js'
import type { RecallRow } from '../../../../contract/memory/memory.js'
import type { CodeTieRow } from '../../../../store/tables/knowledge/code-ties.js'
import type { ChunkLocation } from '../../../../store/tables/knowledge/document-chunks.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import { entityLine } from '../../../ground/entities/entity-line.js'
import { verbatimOf } from '../../records/layout.js'
import type { EntityCard } from '../choose/cards.js'
import type { SuccessorRow } from '../choose/choose-rows.js'
import type { Confidence } from '../ranking/confidence.js'
import { currentnessOf } from '../ranking/currentness.js'
import type { Candidate, ScoredCandidate } from '../ranking/evidence.js'
import { weights } from '../ranking/weights.js'
import type { ArtifactRow, AuthorizedRow } from '../search/candidates.js'

/** Type of rows with a chunk of an artifact; memories never have it. */
export const artifactType = 'source_chunk'

/** Type of rows with an entity card; memories never have it. */
const cardType = 'entity'

/** Data needed to convert rows. */
export interface RowView {
  explain: boolean
  /** Confidence of the ranking. */
  confidence: Confidence
  /** ISO timestamp that decides currentness. */
  now: string
  /** Locations of chunks in their documents, by memory. */
  places: ReadonlyMap<string, ChunkLocation>
  /** Ties to code, by memory. */
  ties: ReadonlyMap<string, readonly CodeTieRow[]>
}

/** Converts a ranked row for the reply (recall.md 4.9). */
export function rankedRow(ranked: AuthorizedRow, view: RowView): RecallRow {
  return rowOf(ranked.row, view, {
    score: ranked.score,
    source: sourceOf(ranked),
    explain: view.explain ? explain(ranked, view.confidence) : undefined,
  })
}

/** Converts a successor; it gets the ranked row's score, since the query did not find it itself. */
export function successorRow({ row, from }: SuccessorRow, view: RowView): RecallRow {
  return { ...rowOf(row, view, { score: from.score, source: 'supersedes' }), supplementary: true }
}

/** Converts a chunk of an artifact: it names its source and is not a memory (recall.md 1.3.10). */
export function artifactRow(ranked: ArtifactRow, { explain: isExplained, confidence }: RowView): RecallRow {
  const { chunk } = ranked
  return {
    id: ranked.id,
    content: chunk.text,
    type: artifactType,
    tags: '',
    who: chunk.author,
    project: null,
    scope: null,
    importance: 0,
    pinned: 0,
    created_at: chunk.source_updated_at ?? chunk.updated_at,
    session_id: null,
    source_type: chunk.source_kind,
    source_id: chunk.source_id,
    source_path: chunk.path,
    artifact: {
      id: chunk.artifact_id,
      kind: chunk.artifact_kind,
      title: chunk.title,
      heading: chunk.heading,
      page: chunk.page,
      url: chunk.url,
    },
    superseded_by: null,
    currentness: 'current',
    score: ranked.score,
    source: sourceOf(ranked),
    supplementary: true,
    ...(isExplained && { explain: explain(ranked, confidence) }),
  }
}

/**
 * Lists every channel and step that affected a row. The additions summed, times the factors, are `evidence`,
 * and `formula` computes `score` from it.
 * @param confidence of the ranking
 */
export function explain(
  { score, evidence, contributions }: ScoredCandidate,
  { value, best }: Confidence,
): NonNullable<RecallRow['explain']> {
  const formula =
    `evidence = sum of add * product of multiply; score = confidence ${value.toFixed(4)} of the best row * ` +
    `(evidence / ${best.toFixed(4)} of the best row)^${weights.confidence.decay}`
  return { score, evidence, contributions: [...contributions], formula }
}

/** One literal with undefined for absent fields: other ways make V8 create half a dozen shapes per row. */
function rowOf(
  row: RecallableMemory,
  { now, places, ties }: RowView,
  { score, source, explain }: Pick<RecallRow, 'score' | 'source' | 'explain'>,
): RecallRow {
  const place = places.get(row.id)
  return {
    id: row.id,
    content: row.content,
    verbatim: linesOf(row),
    type: row.type,
    tags: row.tags,
    who: row.who,
    project: row.project,
    scope: row.scope,
    importance: row.importance,
    pinned: row.pinned,
    created_at: row.created_at,
    session_id: row.session_id,
    source_type: row.source_type,
    source_id: row.source_id,
    source_path: row.source_path,
    document: place && { id: place.id, title: place.title, heading: place.heading, page: place.page },
    code: ties.get(row.id)?.map(tieRecord),
    superseded_by: row.superseded_by,
    currentness: currentnessOf(row, now),
    score,
    source,
    explain,
  }
}

/** Most memories have one line. */
function linesOf(row: RecallableMemory): string | undefined {
  return row.layout?.includes('\n') ? verbatimOf(row) : undefined
}

function tieRecord({ kind, target, path, line, state }: CodeTieRow): NonNullable<RecallRow['code']>[number] {
  return { kind: kind as TieKind, target, path, line, state: state as TieState }
}

/** Channels that found a row, joined by `+`; `context` for a row found only through its neighbours. */
function sourceOf({ contributions }: Candidate): string {
  const channels = ['keyword', 'hints', 'vector', 'claims', 'traversal'].filter(name =>
    contributions.some(({ step }) => step === name),
  )
  return channels.join('+') || 'context'
}

export function cardRow({ id, entity, values, score }: EntityCard): RecallRow {
  return {
    id,
    content: entityLine(entity, values),
    type: cardType,
    tags: '',
    who: null,
    project: null,
    scope: null,
    importance: 0,
    pinned: 0,
    created_at:
      values
        .map(({ recorded_at }) => recorded_at)
        .sort()
        .at(-1) ?? entity.updated_at,
    session_id: null,
    source_type: 'ontology',
    source_id: entity.id,
    source_path: null,
    entity: {
      id: entity.id,
      name: entity.name,
      type: entity.entity_type,
      values: values.map(({ id, aspect, group_name, claim, value, confidence, project, sources }) => ({
        id,
        aspect,
        group: group_name,
        claim,
        value,
        confidence,
        project,
        sources: [...sources],
      })),
    },
    superseded_by: null,
    currentness: 'current',
    score,
    source: 'graph',
    supplementary: true,
  }
}
