import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { isGenericName } from '../../../ground/entities/low-signal.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { relationOf } from '../model/claim-version.js'
import { createEntityRow, ensureEntity, findEntity, findOrPlanEntity } from '../model/entity.js'
import { noteContradiction, type OperationKind, rejectedOutcome, type Work } from '../model/operation.js'

/**
 * Creates an entity with its aliases. If its name is already known, the existing entity gains the evidence.
 * Aliases of other entities stay with those.
 */
export const createEntity: OperationKind<'create_entity'> = {
  name: 'create_entity',
  perform: async (work, payload) => {
    const { tables, reader } = work
    const name_key = nameKey(payload.name)
    if (name_key === '') return rejectedOutcome('name_without_words')
    const known = await tables.entities.byName(reader.agentId, name_key)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned: [known.id] }
    const { id } = await createEntityRow(work, payload)
    return { status: 'applied', id, subjectId: id, mentioned: [id], made: ['entity'] }
  },
}

/** Records that a memory mentions an existing entity; never creates one. */
export const mentionEntity: OperationKind<'mention_entity'> = {
  name: 'mention_entity',
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejectedOutcome('entity_not_found')
    return { status: 'applied', id: found.id, subjectId: found.id, mentioned: [found.id] }
  },
}

/**
 * Permanently deletes an entity with a meaningless name, its names and mentions; memories stay. Pinned
 * entities stay, and so do entities with facts or links.
 */
export const pruneEntity: OperationKind<'prune_entity'> = {
  name: 'prune_entity',
  isHygiene: true,
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await tables.entities.find(agentId, entity)
    if (found?.id !== entity) return rejectedOutcome('entity_not_found')
    if (found.pinned === 1) return rejectedOutcome('entity_pinned')
    if (!isGenericName(found.name)) return rejectedOutcome('entity_concrete')
    if (await tables.entities.isKnownOf(found.id)) return rejectedOutcome('entity_known_of')
    await tables.evidenceSpans.release(found.id)
    await tables.entities.drop(found.id)
    return { status: 'applied', id: found.id }
  },
}

/** Adds an alias to an entity. A name refers to one entity; a name already in use is rejected. */
export const addAlias: OperationKind<'add_alias'> = {
  name: 'add_alias',
  isNaming: true,
  perform: async (work, { entity, entityType, alias }) => {
    const { tables, reader, now } = work
    const sought = await findOrPlanEntity(work, entity, entityType)
    if (!sought) return rejectedOutcome('entity_not_found')
    const name_key = nameKey(alias)
    if (name_key === '') return rejectedOutcome('name_without_words')
    const owner = await tables.entities.byName(reader.agentId, name_key)
    if (owner && owner.id !== sought.row?.id) return rejectedOutcome('name_taken')
    const { row, made } = await ensureEntity(work, sought)
    const done = { id: row.id, subjectId: row.id, mentioned: [row.id] }
    if (owner) return { status: 'deduplicated', ...done }
    await tables.entities.putName({ agent_id: reader.agentId, name_key, entity_id: row.id, name: alias })
    await tables.entities.update(row.id, { updated_at: now })
    return { status: 'applied', ...done, made }
  },
}

/** Retires an alias. The name of an entity cannot be retired. */
export const retireAlias: OperationKind<'retire_alias'> = {
  name: 'retire_alias',
  isHygiene: true,
  perform: async ({ tables, reader: { agentId }, now }, { entity, alias }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejectedOutcome('entity_not_found')
    const key = nameKey(alias)
    if (key === found.name_key) return rejectedOutcome('alias_is_the_name')
    const owner = await tables.entities.byName(agentId, key)
    if (owner?.id !== found.id) return rejectedOutcome('alias_not_found')
    await tables.entities.retireName(found.id, key)
    await tables.entities.update(found.id, { updated_at: now })
    return { status: 'applied', id: found.id }
  },
}

/** Maximum of rows moved by one merge, during which requests wait. */
const maxMoved = 20_000

/**
 * Merges one entity into another: its names become aliases there, and its id leads there. Merged entities are
 * resolved first, so cycles are impossible.
 */
export const mergeEntities: OperationKind<'merge_entities'> = {
  name: 'merge_entities',
  isHygiene: true,
  perform: async (work, payload) => {
    const { tables, reader, now } = work
    const from = await findEntity(tables, reader.agentId, payload.from)
    const into = await findEntity(tables, reader.agentId, payload.into)
    if (!from || !into) return rejectedOutcome('entity_not_found')
    if (from.id === into.id) return rejectedOutcome('merge_cycle')
    if ((await tables.entities.size(from.id)) > maxMoved) return rejectedOutcome('entity_too_large')
    await moveNames(work, from, into)
    await moveClaims(work, from.id, into.id)
    await tables.entityLinks.move(from.id, into.id, now)
    await tables.entities.moveMentions(from.id, into.id)
    await tables.evidenceSpans.moveSubject(from.id, into.id)
    const pinned = Math.max(from.pinned, into.pinned)
    await tables.entities.update(from.id, { merged_into: into.id, mentions: 0, updated_at: now })
    await tables.entities.update(into.id, { pinned, updated_at: now })
    return { status: 'applied', id: into.id }
  },
}

/**
 * Splits an entity in two: a new one gets the named facts, links and aliases, and the memories that say them.
 * An alias of the entity may become the name of the new one.
 */
export const splitEntity: OperationKind<'split_entity'> = {
  name: 'split_entity',
  isHygiene: true,
  perform: async (work, payload) => {
    const { tables, reader, now } = work
    const from = await findEntity(tables, reader.agentId, payload.entity)
    if (!from) return rejectedOutcome('entity_not_found')
    const names = [payload.name, ...(payload.aliases ?? [])].map(nameKey)
    if (names.includes('')) return rejectedOutcome('name_without_words')
    if (names.includes(from.name_key)) return rejectedOutcome('alias_is_the_name')
    for (const key of names) {
      const owner = await tables.entities.byName(reader.agentId, key)
      if (owner && owner.id !== from.id) return rejectedOutcome('name_taken')
    }
    const parts = await partsOf(work, from, payload.facts)
    if (typeof parts === 'string') return rejectedOutcome(parts)
    for (const key of names) await tables.entities.retireName(from.id, key)
    const into = await createEntityRow(work, {
      name: payload.name,
      type: payload.type ?? from.entity_type,
      aliases: payload.aliases,
    })
    for (const claim of parts.claims) await tables.claims.moveClaim(claim, into.id)
    for (const link of parts.links) await tables.entityLinks.moveEnd(link, from.id, into.id)
    await tables.entities.mention(into.id, parts.memories)
    await tables.entities.update(from.id, { updated_at: now })
    return { status: 'applied', id: into.id, made: ['entity'] }
  },
}

const maxSpans = 1000

async function moveNames({ tables: { entities } }: Work, from: EntityRow, into: EntityRow): Promise<void> {
  const names = await entities.namesOf([from.id])
  await entities.dropNames(from.id)
  for (const { active, ...name } of names) {
    await entities.putName({ ...name, entity_id: into.id })
    if (active === 0) await entities.retireName(into.id, name.name_key)
  }
}

/** Maximum of slots moved in one merge. */
const maxSlots = 20_000

/**
 * Moves the slots of one entity to another. If both have a slot, equal values are joined with their evidence,
 * and contradicting ones become contested.
 */
async function moveClaims(work: Work, from: string, into: string): Promise<void> {
  const { claims } = work.tables
  for (const claim of await claims.ofEntity(from, maxSlots)) {
    const known = await claims.bySlot({ ...claim, entity_id: into })
    if (known) await joinSlots(work, claim, known)
    else await claims.moveClaim(claim.id, into)
  }
}

async function joinSlots(work: Work, from: ClaimRow, into: ClaimRow): Promise<void> {
  const { claims } = work.tables
  const held = await claims.standing(into.id, ['current'])
  for (const version of await claims.standing(from.id, ['current']))
    await joinVersion(
      work,
      version,
      held.filter(({ project }) => project === version.project),
    )
  await claims.moveVersions(from.id, into)
  await claims.dropClaim(from.id)
}

async function joinVersion(
  work: Work,
  version: ClaimVersionRow,
  held: readonly ClaimVersionRow[],
): Promise<void> {
  const { tables, now } = work
  const related = held.map(other => ({ other, relation: relationOf(other, version) }))
  const [against] = related.filter(({ relation }) => relation !== 'apart')
  if (!against) return
  if (against.relation === 'same') {
    await tables.evidenceSpans.moveSubject(version.id, against.other.id)
    await tables.claims.updateVersion(version.id, {
      status: 'superseded',
      expired_at: now,
      replaced_by: against.other.id,
    })
    return
  }
  await tables.claims.updateVersion(version.id, { status: 'contested' })
  await noteContradiction(work, against.other.claim_id)
}

interface SplitParts {
  claims: ReadonlySet<string>
  links: readonly string[]
  /** Memories that support them. */
  memories: readonly string[]
}

/** Finds the slots and links of the named facts. @returns the reason why one of them cannot be moved */
async function partsOf(
  { tables, reader: { agentId, boundary } }: Work,
  from: EntityRow,
  facts: Payload<'split_entity'>['facts'],
): Promise<SplitParts | string> {
  const claims = new Set<string>()
  const links: string[] = []
  for (const id of facts ?? []) {
    const found = await tables.claims.version(agentId, id)
    if (found?.claim.entity_id === from.id) {
      claims.add(found.claim.id)
      continue
    }
    const link = await tables.entityLinks.told(agentId, id, boundary)
    if (link?.from_id !== from.id && link?.to_id !== from.id) return 'version_not_found'
    links.push(id)
  }
  const spans = await tables.evidenceSpans.ofSubjects(facts ?? [], maxSpans)
  const said = spans.filter(({ source_kind }) => source_kind === 'memory').map(({ source_id }) => source_id)
  return { claims, links, memories: [...new Set(said)] }
}
