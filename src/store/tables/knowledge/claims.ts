import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ClaimsTable, ClaimVersionsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowNumber, rowsOf, thenJoin } from '../../sql/dialect.js'
import { type Places, shapedStatement } from '../../sql/fixed-statement.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isReadable, isTold, type SourceFilter } from './evidence-boundary.js'

export type ClaimRow = Selectable<ClaimsTable>
export type ClaimVersionRow = Selectable<ClaimVersionsTable>

/** The folded names of a slot. */
export type SlotKeys = Pick<ClaimRow, 'entity_id' | 'aspect_key' | 'group_key' | 'claim_key'>

/** A value that holds now, with its slot. */
export interface CurrentValue {
  id: string
  entity_id: string
  aspect: string
  aspect_key: string
  group_name: string
  group_key: string
  claim: string
  claim_key: string
  value: string
  confidence: number
  project: string | null
  recorded_at: string
}

/** A version with the names of its slot. */
export type HeldRow = ClaimVersionRow & Pick<ClaimRow, 'aspect' | 'group_name' | 'claim' | 'kind'>

/** A version with its entity and the quote of one source that says it. */
export type QuotedRow = HeldRow & { entity_name: string; entity_type: string; quote: string }

export interface CurrentQuery {
  boundary: ReadBoundary
  minConfidence: number
  /** Which of its sources count, besides that the reader may read them. */
  sources: SourceFilter
  /** Values of this project and of none; undefined: of every project. */
  project: string | null | undefined
  /** ISO time at which they hold. */
  now: string
  /** For each entity. */
  limit: number
}

/** Slots of entities with the values that they held. */
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
    /** Slots of an entity in the order of their names. */
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
    /** A version with its claim, if it is the agent's. */
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
    /** Versions of a claim that stand in one of the given states, newest first. */
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
    /** A slot with its versions becomes another entity's. */
    moveClaim: async (id: string, entityId: string): Promise<void> => {
      await db.updateTable('claims').set({ entity_id: entityId }).where('id', '=', id).execute()
      await db.updateTable('claim_versions').set({ entity_id: entityId }).where('claim_id', '=', id).execute()
    },
    /** Versions of one slot become versions of another. */
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

/** So deep a chain of conclusions is followed: one that is longer counts as a circle. */
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
    /** Whether one of the versions was concluded from another one, directly or by others in between. */
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

/** Sources of versions that are named together. */
const maxSources = 100

interface SayingSource {
  version_id: string
  kind: string
  id: string
}

interface CurrentShape extends Pick<CurrentQuery, 'boundary' | 'sources'> {
  /** Values of every project. */
  anywhere: boolean
}

interface CurrentPlaces extends Pick<CurrentQuery, 'minConfidence' | 'now' | 'limit'> {
  entityIds: readonly string[]
  project: string | null
}

function currentValues(
  { boundary, sources, anywhere }: CurrentShape,
  { value, rows }: Places<CurrentPlaces>,
): RawBuilder<CurrentValue> {
  const here = anywhere
    ? sql`TRUE`
    : sql`(w.project IS NULL OR w.project IS NOT DISTINCT FROM ${value(({ project }) => project)})`
  const now = value(asked => asked.now)
  return sql<CurrentValue>`
    SELECT v.id, v.entity_id, c.aspect, c.aspect_key, c.group_name, c.group_key, c.claim, c.claim_key, v.value,
      v.confidence, v.project, v.recorded_at FROM ${rows(({ entityIds }) => entityIds, 'e')}
    ${thenJoin} claim_versions v ON ${rowNumber('v')} IN (
      SELECT ${rowNumber('w')} FROM claim_versions w WHERE w.entity_id = e.value AND w.status = 'current'
        AND w.confidence >= ${value(({ minConfidence }) => minConfidence)} AND ${here}
        AND (w.valid_from IS NULL OR w.valid_from <= ${now}) AND (w.valid_until IS NULL OR w.valid_until > ${now})
        AND ${isTold('w.id', boundary, sources)}
      ORDER BY w.confidence DESC, w.id DESC LIMIT ${value(({ limit }) => limit)})
    JOIN claims c ON c.id = v.claim_id
    ORDER BY v.confidence DESC, v.entity_id, v.id DESC`
}

function sourcesSaying(
  { boundary, sources }: Pick<CurrentQuery, 'boundary' | 'sources'>,
  { rows }: Places<{ ids: readonly string[] }>,
): RawBuilder<SayingSource> {
  return sql<SayingSource>`
    SELECT DISTINCT s.subject_id AS version_id, s.source_kind AS kind, s.source_id AS id
    FROM ${rows(({ ids }) => ids, 'k')} ${thenJoin} evidence_spans s ON s.subject_id = k.value
    WHERE ${isReadable(boundary, sources)} LIMIT ${maxSources}`
}

function values(db: Kysely<Schema>) {
  const current = shapedStatement(db, currentValues)
  const saying = shapedStatement(db, sourcesSaying)
  return {
    /** Values of an entity that are current or contested and that the reader may be told, by their slots. */
    heldOf: async (entityId: string, boundary: ReadBoundary, limit: number): Promise<HeldRow[]> => {
      const { rows } = await sql<HeldRow>`
        SELECT v.*, c.aspect, c.group_name, c.claim, c.kind FROM claims c
        ${thenJoin} claim_versions v ON v.claim_id = c.id AND v.status IN ('current', 'contested')
        WHERE c.entity_id = ${entityId} AND ${isTold('v.id', boundary)}
        ORDER BY c.aspect_key, c.group_key, c.claim_key, v.status DESC, v.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Values of an agent that rest on a memory, whatever became of them, the newest first; none for who may not read it. */
    saidBy: async (
      agentId: string,
      memoryId: string,
      boundary: ReadBoundary,
      limit: number,
    ): Promise<QuotedRow[]> => {
      const { rows } = await sql<QuotedRow>`
        SELECT v.*, c.aspect, c.group_name, c.claim, c.kind, e.name AS entity_name, e.entity_type, s.quote
        FROM evidence_spans s ${thenJoin} claim_versions v ON v.id = s.subject_id
        ${thenJoin} claims c ON c.id = v.claim_id ${thenJoin} entities e ON e.id = v.entity_id
        WHERE s.source_kind = 'memory' AND s.source_id = ${memoryId} AND s.agent_id = ${agentId}
          AND ${isReadable(boundary, {})}
        ORDER BY v.recorded_at DESC, v.id DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Values of entities that hold now and that the reader may be told, surest first, some of each entity. */
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
    /** What says versions, of what the reader may read now. */
    sayingSources: (
      ids: readonly string[],
      boundary: ReadBoundary,
      sources: SourceFilter,
    ): Promise<SayingSource[]> => saying({ boundary, sources }, { ids }),
    /** Of the given versions those that the reader may be told. */
    toldVersions: async (ids: readonly string[], boundary: ReadBoundary): Promise<Set<string>> => {
      const { rows } = await sql<{
        id: string
      }>`SELECT v.id FROM claim_versions v WHERE v.id IN ${listOf(ids)}
        AND ${isTold('v.id', boundary)}`.execute(db)
      return new Set(rows.map(({ id }) => id))
    },
  }
}
