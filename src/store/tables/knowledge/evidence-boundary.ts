import { expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { unindexed } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import { inSelection, type MemoryFilter, type ReadBoundary } from '../memory/memory-filter.js'
import { hasValidMemory } from '../sessions/summary-nodes.js'

const eb = expressionBuilder<Schema, 'memories'>()

/** Restricts the sources further, within those the reader may read. */
export type SourceFilter = Pick<MemoryFilter, 'project' | 'orNoProject' | 'scope'>

/**
 * Matches things based on at least one source the reader may read now: existing, clean and inside the
 * boundary (knowledge.md#who-reads-what). Knowledge from other sources does not exist for the reader.
 * @param subject column with the id of an entity, a claim version or a link.
 */
export function isVisible(
  subject: string,
  boundary: ReadBoundary,
  filter: SourceFilter = {},
): RawBuilder<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM evidence_spans s
    WHERE s.subject_id = ${sql.ref(subject)} AND ${isReadable(boundary, filter)})`
}

/** Matches when the reader may read the source of span `s` now. */
export function isReadable(boundary: ReadBoundary, filter: SourceFilter): RawBuilder<SqlBool> {
  const memory = sql`s.source_kind = 'memory' AND EXISTS (SELECT 1 FROM memories WHERE memories.id = s.source_id
    AND ${unindexed('is_deleted')} = 0 AND safety_status = 'clean' AND ${inSelection(eb, boundary, filter)})`
  const others = boundary.only?.who === undefined ? [isReadableTranscript, isReadableSummary] : []
  const artifact = boundary.only === undefined ? [isReadableArtifact] : []
  const all = [memory, ...others.map(readable => readable(boundary, filter)), ...artifact]
  return sql<SqlBool>`(${sql.join(all, sql` OR `)})`
}

/** A transcript belongs to its agent and has no author. */
function isReadableTranscript(boundary: ReadBoundary, filter: SourceFilter): RawBuilder<unknown> {
  return sql`s.source_kind = 'transcript' AND EXISTS (SELECT 1 FROM transcripts t WHERE t.agent_id = s.agent_id
    AND t.session_key = s.source_id AND t.safety_status = 'clean' ${inProjects('t', boundary, filter)})`
}

/** The summary of a compaction is hidden with its memory. */
function isReadableSummary(boundary: ReadBoundary, filter: SourceFilter): RawBuilder<unknown> {
  return sql`s.source_kind = 'summary' AND EXISTS (SELECT 1 FROM temporal_nodes WHERE temporal_nodes.id = s.source_id
    AND temporal_nodes.agent_id = s.agent_id AND temporal_nodes.safety_status = 'clean' AND ${hasValidMemory}
    ${inProjects('temporal_nodes', boundary, filter)})`
}

/** Sources have no project, so a reader confined to one reads none of them. */
const isReadableArtifact = sql`s.source_kind = 'artifact' AND EXISTS (
  SELECT 1 FROM source_artifacts a JOIN sources o ON o.id = a.source_id WHERE a.id = s.source_id AND a.removed = 0
  AND a.safety_status = 'clean' AND o.agent_id = s.agent_id AND o.removed_at IS NULL)`

function inProjects(
  table: string,
  { only }: ReadBoundary,
  { project, orNoProject }: SourceFilter,
): RawBuilder<unknown> {
  const column = `${table}.project`
  const none = orNoProject ? [sql`${sql.ref(column)} IS NULL`] : []
  const wanted = [...(project === undefined ? [] : [sameProject(column, project)]), ...none]
  const all = [
    ...(only?.project === undefined ? [] : [sameProject(column, only.project)]),
    ...(wanted.length > 0 ? [sql`(${sql.join(wanted, sql` OR `)})`] : []),
  ]
  return sql.join(
    all.map(one => sql`AND ${one}`),
    sql` `,
  )
}
