import type { OperationName, Payload } from '../../../../contract/knowledge/ontology-operations.js'
import { rememberBody } from '../../../../contract/memory/memory.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { indexForgotten, removeWithin } from '../../../memory/edit/remove.js'
import { indexSuperseded, supersedeWithin } from '../../../memory/edit/supersede.js'
import { finishSave, type PreparedSave, prepareSave, saveWithin } from '../../../memory/remember/remember.js'
import { parseInput } from '../../../platform/http/errors.js'
import { isPeriod } from '../model/claim-version.js'
import { ensureEntity, findOrPlanEntity, isSameEntity } from '../model/entity.js'
import {
  type OperationGrounds,
  type OperationKind,
  type OperationScope,
  rejectedOutcome,
  updateRefusal,
} from '../model/operation.js'
import { assertClaim, endFact, retractClaim, supersedeClaim } from './claims.js'
import {
  addAlias,
  createEntity,
  mentionEntity,
  mergeEntities,
  pruneEntity,
  retireAlias,
  splitEntity,
} from './entities.js'

/** Links two entities. An existing link gains evidence. */
const link: OperationKind<'link'> = {
  name: 'link',
  perform: async (work, payload) => {
    const { deps, tables, confidence, now } = work
    const { agentId } = work.reader
    const sought = {
      from: await findOrPlanEntity(work, payload.from, payload.fromType),
      to: await findOrPlanEntity(work, payload.to, payload.toType),
    }
    if (!sought.from || !sought.to) return rejectedOutcome('entity_not_found')
    if (isSameEntity(sought.from, sought.to)) return rejectedOutcome('link_to_itself')
    const relation_key = nameKey(payload.relation)
    if (relation_key === '') return rejectedOutcome('name_without_words')
    const period = { valid_from: payload.validFrom ?? null, valid_until: payload.validUntil ?? null }
    if (!isPeriod(period)) return rejectedOutcome('validity_ends_before_it_begins')
    const from = await ensureEntity(work, sought.from)
    const to = await ensureEntity(work, sought.to)
    const triple = { from_id: from.row.id, relation_key, to_id: to.row.id }
    const mentioned = [from.row.id, to.row.id]
    const known = await tables.entityLinks.current(triple)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned }
    const id = deps.newId()
    await tables.entityLinks.insert({
      ...triple,
      ...period,
      id,
      agent_id: agentId,
      relation: payload.relation,
      status: 'current',
      confidence,
      recorded_at: now,
      expired_at: null,
    })
    return { status: 'applied', id, subjectId: id, mentioned, made: [...from.made, ...to.made] }
  },
}

/** Removes a link. */
const unlink: OperationKind<'unlink'> = {
  name: 'unlink',
  perform: async ({ tables, reader: { agentId, boundary }, now }, payload) => {
    const found = await tables.entityLinks.told(agentId, payload.link, boundary)
    if (!found) return rejectedOutcome('link_not_found')
    if (found.status !== 'current') return { status: 'deduplicated', id: found.id }
    await tables.entityLinks.update(found.id, { status: 'unlinked', expired_at: now })
    return { status: 'applied', id: found.id }
  },
}

/**
 * Saves a memory supported by sources, with its confidence as importance (rules.md 1.2). An existing one is a
 * duplicate, as with any save (rules.md 1.1.4).
 */
const addMemory: OperationKind<'add_memory', PreparedSave> = {
  name: 'add_memory',
  prepare: (deps, scope, payload, given) => prepareSave(deps, scope.caller, bodyOf(scope, payload, given)),
  perform: async (work, _payload, prepared) => {
    const { deps, tables, caller } = work
    if (prepared.memory.safety_status !== 'clean') return rejectedOutcome('unsafe_content')
    const saved = await saveWithin(deps, tables, caller, prepared)
    const { id } = saved.row
    return {
      status: saved.deduped ? 'deduplicated' : 'applied',
      id,
      memoryId: id,
      after: async () => {
        await finishSave(deps, prepared, saved)
      },
    }
  },
}

/**
 * Replaces one memory with another. Autonomous callers only propose it; a contradiction is blocked (rules.md
 * 1.5).
 */
const supersedeMemory: OperationKind<'supersede_memory'> = {
  name: 'supersede_memory',
  perform: async (work, { memory: id, supersededBy }) => {
    const { deps, tables, caller, reason } = work
    const { boundary } = work.reader
    const target = await tables.memories.find(id, boundary)
    const successor = await tables.memories.find(supersededBy, boundary)
    if (target?.is_deleted !== 0 || successor?.is_deleted !== 0) return rejectedOutcome('memory_not_found')
    const refused = updateRefusal(work, id, assessContradiction(target.content, successor.content))
    if (refused) return refused
    const { result, superseded } = await supersedeWithin(deps, tables, caller, boundary, {
      id,
      supersededBy,
      reason,
    })
    if (!superseded) return rejectedOutcome(result.status, id)
    return { status: 'applied', id, memoryId: id, after: async () => indexSuperseded(deps, superseded) }
  },
}

/** Forgets a memory in the same way as a person: it can be recovered for 30 days, and pinned ones stay. */
const forgetMemory: OperationKind<'forget_memory'> = {
  name: 'forget_memory',
  perform: async (work, { memory: id }) => {
    const { deps, tables, caller, reason, evidence } = work
    const { boundary } = work.reader
    const target = await tables.memories.find(id, boundary)
    if (target?.is_deleted !== 0) return rejectedOutcome('memory_not_found')
    // Other sources and the reason may contradict the memory.
    const others = evidence.quotes.filter(({ sourceId }) => sourceId !== id).map(({ quote }) => quote)
    const refused = updateRefusal(
      work,
      id,
      assessContradiction(target.content, [...others, reason].join('\n')),
    )
    if (refused) return refused
    const removal = { id, reason, force: false }
    const { result, forgotten } = await removeWithin(deps, tables, caller, boundary, removal)
    if (result.status !== 'deleted') return rejectedOutcome(result.status, id)
    return { status: 'applied', id, memoryId: id, after: () => indexForgotten(deps, forgotten) }
  },
}

/** All operations; the contract defines their payloads. */
const operations = {
  create_entity: createEntity,
  add_alias: addAlias,
  retire_alias: retireAlias,
  merge_entities: mergeEntities,
  split_entity: splitEntity,
  assert_claim: assertClaim,
  supersede_claim: supersedeClaim,
  retract_claim: retractClaim,
  link,
  unlink,
  add_memory: addMemory,
  supersede_memory: supersedeMemory,
  forget_memory: forgetMemory,
  mention_entity: mentionEntity,
  prune_entity: pruneEntity,
  end_fact: endFact,
} satisfies { [Name in OperationName]: Pick<OperationKind<Name>, 'name'> }

/** Returns an operation; its payload must have been checked against the contract. */
export function operationNamed(name: OperationName): OperationKind<never, unknown> {
  return operations[name] as never
}

function bodyOf(
  { reader: { agentId } }: OperationScope,
  { content, type, tags }: Payload<'add_memory'>,
  { confidence, evidence }: OperationGrounds,
) {
  return parseInput(rememberBody, {
    content,
    type,
    tags,
    agentId,
    project: evidence.project,
    // A memory that repeats a private source must stay private.
    visibility: evidence.isPrivate ? 'private' : 'global',
    pinned: false,
    importance: confidence,
    sourceType: 'ontology',
  })
}
