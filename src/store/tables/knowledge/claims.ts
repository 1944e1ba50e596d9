import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ClaimsTable, ClaimVersionsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { joinChosen, listOf, rowNumber, rowsOf, thenJoin, unindexed } from '../../sql/dialect.js'
import { type StatementParameters, shapedStatement } from '../../sql/fixed-statement.js'
import { sameProject } from '../../sql/same-project.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isReadable, isVisible, type SourceFilter } from './evidence-boundary.js'

export type ClaimRow = Selectable<ClaimsTable>
export type ClaimVersionRow = Selectable<ClaimVersionsTable>

/** The folded names of a slot. */
export type SlotKeys = Pick<ClaimRow, 'entity_id' | 'aspect_key' | 'group_key' | 'claim_key'>

/** A value in force, with its slot. */
export interface CurrentValue {
  id: string
  entity_id: string
  aspect: string
  aspect_key: string
  group_name: string
  group_key: string
  claim: string
  claim_key: string
  kind: string
  value: string
  confidence: number
  project: string | null
  recorded_at: string
}

/** A version with the names of its slot. */
export type FactRow = ClaimVersionRow & Pick<ClaimRow, 'aspect' | 'group_name' | 'claim' | 'kind'>

/** A version with its entity and a quote that supports it. */
export type QuotedFactRow = FactRow & { entity_name: string; entity_type: string; quote: string }

export interface CurrentQuery {
  boundary: ReadBoundary
  minConfidence: number
  /** Restricts the sources further, within those the reader may read. */
  sources: SourceFilter
  /** Values of this project and of none; undefined selects every project. */
  project: string | null | undefined
  /** ISO time at which they are in force. */
  now: string
  /** Maximum per entity. */
  limit: number
}

/** Slots of entities with all their values over time. */
export function claimsTable(db: Kysely<Schema>) {
  return { ...slots(db), ...versions(db), ...premises(db), ...values(db) }
}

function slots(db: Kysely<Schema>) {
  return {
    bySlot: ({ entity_id, aspect_key, group_key, claim_key }: SlotKeys): Promise<ClaimRow | undefined> =>
      db
        .selectFrom('claims')
        .selectAll()
        .where('entity_id', '=', entity_id)
        .where('aspect_key', '=', aspect_key)
        .where('group_key', '=', group_key)
        .where('claim_key', '=', claim_key)
        .executeTakeFirst(),
    hasAspect: async (entityId: string, aspectKey: string): Promise<boolean> => {
      const row = await db
        .selectFrom('claims')
        .select('id')
        .where('entity_id', '=', entityId)
        .where('aspect_key', '=', aspectKey)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
    insertClaim: async (row: Insertable<ClaimsTable>): Promise<void> => {
      await db.insertInto('claims').values(row).execute()
    },
    loadClaims: (ids: readonly string[]): Promise<ClaimRow[]> =>
      db
        .selectFrom('claims')
        .selectAll()
        .where('id', 'in', [...ids])
        .execute(),
    /** Returns the slots of an entity, ordered by name. */
    ofEntity: (entityId: string, limit: number): Promise<ClaimRow[]> =>
      db
        .selectFrom('claims')
        .selectAll()
        .where('entity_id', '=', entityId)
        .orderBy('aspect_key')
        .orderBy('group_key')
        .orderBy('claim_key')
        .limit(limit)
        .execute(),
  }
}

function versions(db: Kysely<Schema>) {
  return {
    /** Returns a version with its claim, if it belongs to the agent. */
    version: async (
      agentId: string,
      id: string,
    ): Promise<{ version: ClaimVersionRow; claim: ClaimRow } | undefined> => {
      const version = await db
        .selectFrom('claim_versions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      const claim =
        version &&
        (await db.selectFrom('claims').selectAll().where('id', '=', version.claim_id).executeTakeFirst())
      return claim?.agent_id === agentId ? { version: version as ClaimVersionRow, claim } : undefined
    },
    loadVersions: (ids: readonly string[]): Promise<ClaimVersionRow[]> =>
      db
        .selectFrom('claim_versions')
        .selectAll()
        .where('id', 'in', [...ids])
        .execute(),
    /** Returns versions of a claim in one of the given states, newest first. */
    standing: (claimId: string, statuses: readonly string[]): Promise<ClaimVersionRow[]> =>
      db
        .selectFrom('claim_versions')
        .selectAll()
        .where('claim_id', '=', claimId)
        .where('status', 'in', [...statuses])
        .orderBy('recorded_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    /** Newest first. */
    versionsOf: (claimId: string, limit: number): Promise<ClaimVersionRow[]> =>
      db
        .selectFrom('claim_versions')
        .selectAll()
        .where('claim_id', '=', claimId)
        .orderBy('recorded_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Moves a slot and its versions to another entity. */
    moveClaim: async (id: string, entityId: string): Promise<void> => {
      await db.updateTable('claims').set({ entity_id: entityId }).where('id', '=', id).execute()
      await db.updateTable('claim_versions').set({ entity_id: entityId }).where('claim_id', '=', id).execute()
    },
    /** Moves the versions of one slot to another. */
    moveVersions: async (from: string, { id, entity_id }: ClaimRow): Promise<void> => {
      await db
        .updateTable('claim_versions')
        .set({ claim_id: id, entity_id })
        .where('claim_id', '=', from)
        .execute()
    },
    dropClaim: async (id: string): Promise<void> => {
      await db.deleteFrom('claims').where('id', '=', id).execute()
    },
    insertVersion: async (row: Insertable<ClaimVersionsTable>): Promise<void> => {
      await db.insertInto('claim_versions').values(row).execute()
    },
    updateVersion: async (id: string, change: Partial<Insertable<ClaimVersionsTable>>): Promise<void> => {
      await db.updateTable('claim_versions').set(change).where('id', '=', id).execute()
    },
  }
}

/** Maximum depth of a chain of conclusions; a longer one counts as a cycle. */
const maxDepth = 100

function premises(db: Kysely<Schema>) {
  return {
    addPremises: async (versionId: string, premiseIds: readonly string[]): Promise<void> => {
      await sql`INSERT INTO claim_premises (version_id, premise_id)
        SELECT ${versionId}, value FROM ${rowsOf(premiseIds, 'p')} WHERE TRUE
        ON CONFLICT (version_id, premise_id) DO NOTHING`.execute(db)
    },
    premisesOf: (versionIds: readonly string[], limit: number) =>
      db
        .selectFrom('claim_premises')
        .selectAll()
        .where('version_id', 'in', [...versionIds])
        .orderBy('version_id')
        .orderBy('premise_id')
        .limit(limit)
        .execute(),
    conclusionsFrom: (premiseIds: readonly string[], limit: number) =>
      db
        .selectFrom('claim_premises')
        .selectAll()
        .where('premise_id', 'in', [...premiseIds])
        .orderBy('premise_id')
        .orderBy('version_id')
        .limit(limit)
        .execute(),
    /** Returns whether one of the versions was concluded, directly or indirectly, from `premiseId`. */
    restsOn: async (versionIds: readonly string[], premiseId: string): Promise<boolean> => {
      const { rows } = await sql`
        WITH RECURSIVE grounds (id, depth) AS (
          SELECT value, 0 FROM ${rowsOf(versionIds, 'v')}
          UNION
          SELECT p.premise_id, grounds.depth + 1 FROM grounds JOIN claim_premises p ON p.version_id = grounds.id
          WHERE grounds.depth < ${maxDepth}
        )
        SELECT 1 FROM grounds WHERE id = ${premiseId} OR depth = ${maxDepth} LIMIT 1`.execute(db)
      return rows.length > 0
    },
  }
}

/** Maximum number of sources returned for a set of versions. */
const maxSources = 100

interface VersionSource {
  version_id: string
  kind: string
  id: string
}

interface CurrentValueOptions extends Pick<CurrentQuery, 'boundary' | 'sources'> {
  /** Values of every project. */
  anywhere: boolean
}

interface CurrentValueParameters extends Pick<CurrentQuery, 'minConfidence' | 'now' | 'limit'> {
  entityIds: readonly string[]
  project: string | null
}

function currentValues(
  { boundary, sources, anywhere }: CurrentValueOptions,
  { value, rows }: StatementParameters<CurrentValueParameters>,
): RawBuilder<CurrentValue> {
  const here = anywhere
    ? sql`TRUE`
    : sql`(w.project IS NULL OR ${sameProject(
        'w.project',
        value(({ project }) => project),
      )})`
  const now = value(asked => asked.now)
  const chosen = sql`SELECT ${rowNumber('w')} FROM claim_versions w WHERE w.entity_id = e.value AND w.status = 'current'
    AND w.confidence >= ${value(({ minConfidence }) => minConfidence)} AND ${here}
    AND (w.valid_from IS NULL OR w.valid_from <= ${now}) AND (w.valid_until IS NULL OR w.valid_until > ${now})
    AND ${isVisible('w.id', boundary, sources)}
    ORDER BY w.confidence DESC, w.id DESC LIMIT ${value(({ limit }) => limit)}`
  return sql<CurrentValue>`
    SELECT v.id, v.entity_id, c.aspect, c.aspect_key, c.group_name, c.group_key, c.claim, c.claim_key, c.kind, v.value,
      v.confidence, v.project, v.recorded_at FROM ${rows(({ entityIds }) => entityIds, 'e')}
    ${joinChosen('claim_versions', 'v', chosen)}
    JOIN claims c ON c.id = v.claim_id
    ORDER BY v.confidence DESC, v.entity_id, v.id DESC`
}

function versionSources(
  { boundary, sources }: Pick<CurrentQuery, 'boundary' | 'sources'>,
  { rows }: StatementParameters<{ ids: readonly string[] }>,
): RawBuilder<VersionSource> {
  return sql<VersionSource>`
    SELECT DISTINCT s.subject_id AS version_id, s.source_kind AS kind, s.source_id AS id
    FROM ${rows(({ ids }) => ids, 'k')} ${thenJoin} evidence_spans s ON s.subject_id = k.value
    WHERE ${isReadable(boundary, sources)} LIMIT ${maxSources}`
}

function values(db: Kysely<Schema>) {
  const current = shapedStatement(db, currentValues)
  const saying = shapedStatement(db, versionSources)
  return {
    /** Returns current or contested values of an entity that the reader may see, ordered by slot. */
    heldOf: async (entityId: string, boundary: ReadBoundary, limit: number): Promise<FactRow[]> => {
      const { rows } = await sql<FactRow>`
        SELECT v.*, c.aspect, c.group_name, c.claim, c.kind FROM claims c
        ${thenJoin} claim_versions v ON v.claim_id = c.id AND v.status IN ('current', 'contested')
        WHERE c.entity_id = ${entityId} AND ${isVisible('v.id', boundary)}
        ORDER BY c.aspect_key, c.group_key, c.claim_key, v.status DESC, v.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns earlier values of claims that the reader may see, newest first. */
    formerOf: async (
      claimIds: readonly string[],
      boundary: ReadBoundary,
      limit: number,
    ): Promise<ClaimVersionRow[]> => {
      const { rows } = await sql<ClaimVersionRow>`
        SELECT v.* FROM ${rowsOf(claimIds, 'c')} ${thenJoin} claim_versions v ON v.claim_id = c.value
        WHERE ${unindexed('v.status')} = 'superseded' AND ${isVisible('v.id', boundary)}
        ORDER BY v.recorded_at DESC, v.id DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns all values of an agent that are based on a memory the reader may read, newest first. */
    saidBy: async (
      agentId: string,
      memoryId: string,
      boundary: ReadBoundary,
      limit: number,
    ): Promise<QuotedFactRow[]> => {
      const { rows } = await sql<QuotedFactRow>`
        SELECT v.*, c.aspect, c.group_name, c.claim, c.kind, e.name AS entity_name, e.entity_type, s.quote
        FROM evidence_spans s ${thenJoin} claim_versions v ON v.id = s.subject_id
        ${thenJoin} claims c ON c.id = v.claim_id ${thenJoin} entities e ON e.id = v.entity_id
        WHERE s.source_kind = 'memory' AND s.source_id = ${memoryId} AND s.agent_id = ${agentId}
          AND ${isReadable(boundary, {})}
        ORDER BY v.recorded_at DESC, v.id DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns values in force that the reader may see, most confident first, up to `limit` per entity. */
    current: (
      entityIds: readonly string[],
      { boundary, sources, minConfidence, project, now, limit }: CurrentQuery,
    ): Promise<CurrentValue[]> =>
      current(
        { boundary, sources, anywhere: project === undefined },
        {
          entityIds,
          minConfidence,
          project: project ?? null,
          now,
          limit,
        },
      ),
    /** Returns the sources of versions that the reader may read now. */
    sayingSources: (
      ids: readonly string[],
      boundary: ReadBoundary,
      sources: SourceFilter,
    ): Promise<VersionSource[]> => saying({ boundary, sources }, { ids }),
    /** Returns the given versions that the reader may see. */
    toldVersions: async (ids: readonly string[], boundary: ReadBoundary): Promise<Set<string>> => {
      const { rows } = await sql<{
        id: string
      }>`SELECT v.id FROM claim_versions v WHERE v.id IN ${listOf(ids)}
        AND ${isVisible('v.id', boundary)}`.execute(db)
      return new Set(rows.map(({ id }) => id))
    },
  }
}
