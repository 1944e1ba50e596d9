import type { RelatedVersion } from '../../../../contract/knowledge/ontology-explain.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Reader } from '../evidence/source.js'
import { type CheckedVersion, checkVersions, statusOf } from './look-at-versions.js'

/** One version between a fact and its premises or conclusions. */
export interface LineageStep {
  looked: CheckedVersion
  of: string
  depth: number
}

/** The versions in one direction, and whether all fit within the limits. */
export interface Lineage {
  steps: readonly LineageStep[]
  isWhole: boolean
}

export interface LineageQuery {
  direction: 'premises' | 'conclusions'
  limit: number
  maxDepth: number
}

/**
 * Follows premises or conclusions of versions level by level. Visited versions are skipped, so cycles end.
 */
export async function followLineage(
  tables: Tables,
  reader: Reader,
  from: readonly string[],
  { direction, limit, maxDepth }: LineageQuery,
): Promise<Lineage> {
  const met = new Set(from)
  const steps: LineageStep[] = []
  let level = from
  for (let depth = 1; level.length > 0; depth++) {
    const edges = await edgesFrom(tables, direction, level, limit + met.size + 1)
    const fresh = edges.filter(({ to }, at) => !met.has(to) && edges.findIndex(edge => edge.to === to) === at)
    if (fresh.length === 0) break
    if (depth > maxDepth) return { steps, isWhole: false }
    const room = fresh.slice(0, limit - steps.length)
    const rows = await tables.claims.loadVersions(room.map(({ to }) => to))
    for (const looked of await checkVersions(tables, reader, rows)) {
      const edge = room.find(({ to }) => to === looked.row.id)
      if (edge) steps.push({ looked, of: edge.from, depth })
    }
    if (room.length < fresh.length) return { steps, isWhole: false }
    for (const { to } of room) met.add(to)
    level = room.map(({ to }) => to)
  }
  return { steps, isWhole: true }
}

async function edgesFrom(
  { claims }: Tables,
  direction: LineageQuery['direction'],
  level: readonly string[],
  limit: number,
): Promise<{ from: string; to: string }[]> {
  if (direction === 'premises') {
    const rows = await claims.premisesOf(level, limit)
    return rows.map(({ version_id, premise_id }) => ({ from: version_id, to: premise_id }))
  }
  const rows = await claims.conclusionsFrom(level, limit)
  return rows.map(({ version_id, premise_id }) => ({ from: premise_id, to: version_id }))
}

/** Converts steps for replies, with the names of their slots. */
export async function toRelatedVersions(
  tables: Tables,
  steps: readonly LineageStep[],
  now: string,
): Promise<RelatedVersion[]> {
  if (steps.length === 0) return []
  const claims = await tables.claims.loadClaims(steps.map(({ looked }) => looked.row.claim_id))
  const entities = await tables.entities.load(claims.map(({ entity_id }) => entity_id))
  return steps.flatMap(({ looked, of, depth }) => {
    const slot = claims.find(({ id }) => id === looked.row.claim_id)
    const entity = entities.find(({ id }) => id === slot?.entity_id)
    if (!slot || !entity) return []
    return {
      id: looked.row.id,
      of,
      depth,
      entity: entity.name,
      aspect: slot.aspect,
      group: slot.group_name,
      claim: slot.claim,
      value: looked.isTold ? looked.row.value : null,
      status: statusOf(looked, now),
      integrity: looked.integrity.status,
    }
  })
}
