import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowsOf, thenJoin } from '../../sql/dialect.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import type { ClaimVersionRow } from './claims.js'
import { isReadable } from './evidence-boundary.js'

/** Sources of one kind; `source` stands for all artifacts of a source. */
export interface NamedSources {
  kind: 'memory' | 'transcript' | 'summary' | 'artifact' | 'source'
  ids: readonly string[]
}

/** A slot with a replaced value, and a quote of one of the sources in it. */
export interface AffectedSlot {
  claim_id: string
  agent_id: string
  source_kind: string
  source_id: string
  quote: string
}

/** Values that others replaced, and those of them that a source still supports. */
export function replacedValuesTable(db: Kysely<Schema>) {
  return {
    /** Returns the slots in which a source supports a value that replaced another or was replaced. */
    slotsOf: async ({ kind, ids }: NamedSources): Promise<AffectedSlot[]> => {
      const named =
        kind === 'source'
          ? sql`s.artifact_source IN ${listOf(ids)}`
          : sql`s.source_kind = ${kind} AND s.source_id IN ${listOf(ids)}`
      const { rows } = await sql<AffectedSlot>`
        SELECT v.claim_id, s.agent_id, s.source_kind, s.source_id, s.quote
        FROM evidence_spans s ${thenJoin} claim_versions v ON v.id = s.subject_id
        WHERE ${named} AND s.subject_id IS NOT NULL AND (v.replaced_by IS NOT NULL OR EXISTS (
          SELECT 1 FROM claim_versions w WHERE w.claim_id = v.claim_id AND w.replaced_by = v.id))
        ORDER BY s.id`.execute(db)
      return [...new Map(rows.map(row => [row.claim_id, row])).values()]
    },
    /** Returns the versions of slots that replaced another or were replaced, or hold now, oldest first. */
    versionsOf: async (claimIds: readonly string[]): Promise<ClaimVersionRow[]> => {
      const { rows } = await sql<ClaimVersionRow>`
        SELECT v.* FROM ${rowsOf(claimIds, 'c')} ${thenJoin} claim_versions v ON v.claim_id = c.value
        WHERE v.status IN ('current', 'superseded', 'unsupported') ORDER BY v.recorded_at, v.id`.execute(db)
      return rows
    },
    /**
     * Returns those of some versions that a source supports: readable, and not a memory that another one
     * replaced.
     */
    believed: async (ids: readonly string[], boundary: ReadBoundary): Promise<Set<string>> => {
      const { rows } = await sql<{ id: string }>`
        SELECT DISTINCT s.subject_id AS id FROM ${rowsOf(ids, 'k')}
        ${thenJoin} evidence_spans s ON s.subject_id = k.value
        WHERE ${isReadable(boundary, {})} AND NOT (s.source_kind = 'memory' AND EXISTS (
          SELECT 1 FROM memories old JOIN memories next ON next.id = old.superseded_by
          WHERE old.id = s.source_id AND next.is_deleted = 0))`.execute(db)
      return new Set(rows.map(({ id }) => id))
    },
  }
}
