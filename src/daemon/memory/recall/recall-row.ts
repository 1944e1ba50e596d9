import type { RecallRow } from '../../../contract/memory/memory.js'
import type { TieKind, TieState } from '../../../contract/memory/tie-words.js'
import type { CodeTieRow } from '../../../store/tables/knowledge/code-ties.js'
import type { ChunkPlace } from '../../../store/tables/knowledge/document-chunks.js'
import type { RecallableMemory } from '../../../store/tables/memory/memories.js'
import type { FoundArtifact } from './find-artifacts.js'
import type { Found } from './find-candidates.js'
import type { Confidence } from './ranking/confidence.js'
import { currentnessOf } from './ranking/currentness.js'
import type { Ranked, RankedRow } from './ranking/evidence.js'
import { explain } from './ranking/explain.js'
import type { SuccessorRow } from './successor-rows.js'

/** The type of a row that is a chunk of an artifact; no memory has it. */
export const artifactType = 'source_chunk'

/** How rows are shown. */
export interface RowView {
  explain: boolean
  /** In the best row of the ranking. */
  confidence: Confidence
  /** ISO timestamp: what currentness is told by. */
  now: string
  /** Where the chunks of documents among the rows stand, by memory. */
  places: ReadonlyMap<string, ChunkPlace>
  /** What they say of code, by memory. */
  ties: ReadonlyMap<string, readonly CodeTieRow[]>
}

/** A ranked row as recall shows it (recall.md 4.9). */
export function rankedRow(found: Found, view: RowView): RecallRow {
  return rowOf(found.row, view, {
    score: found.score,
    source: sourceOf(found),
    explain: view.explain ? explanation(found, view.confidence) : undefined,
  })
}

/** A successor of a ranked row; it has that row's score, since no word of the query found it. */
export function successorRow({ row, from }: SuccessorRow, view: RowView): RecallRow {
  return { ...rowOf(row, view, { score: from.score, source: 'supersedes' }), supplementary: true }
}

/** A chunk of an artifact beside the ranking: where it comes from, and no memory (recall.md 1.3.10). */
export function artifactRow(found: FoundArtifact, { explain: isExplained, confidence }: RowView): RecallRow {
  const { chunk } = found
  return {
    id: found.id,
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
    score: found.score,
    source: sourceOf(found),
    supplementary: true,
    ...(isExplained && { explain: explanation(found, confidence) }),
  }
}

function explanation(found: RankedRow, confidence: Confidence): NonNullable<RecallRow['explain']> {
  return { ...explain(found, confidence), contributions: [...found.contributions] }
}

/** All in one literal, what is absent as undefined: each other way a row takes V8 through half a dozen shapes. */
function rowOf(
  row: RecallableMemory,
  { now, places, ties }: RowView,
  { score, source, explain }: Pick<RecallRow, 'score' | 'source' | 'explain'>,
): RecallRow {
  const place = places.get(row.id)
  return {
    id: row.id,
    content: row.content,
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

function tieRecord({ kind, target, path, line, state }: CodeTieRow): NonNullable<RecallRow['code']>[number] {
  return { kind: kind as TieKind, target, path, line, state: state as TieState }
}

/** The channels that found a row, joined by `+`; `context` for one that only its neighbours brought in. */
function sourceOf({ contributions }: Ranked): string {
  const channels = ['keyword', 'hints', 'vector', 'claims', 'traversal'].filter(name =>
    contributions.some(({ step }) => step === name),
  )
  return channels.join('+') || 'context'
}
