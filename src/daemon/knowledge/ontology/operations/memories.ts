import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import { rememberBody } from '../../../../contract/memory/memory.js'
import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { indexForgotten, removeWithin } from '../../../memory/edit/remove.js'
import { indexSuperseded, supersedeWithin } from '../../../memory/edit/supersede.js'
import { finishSave, type PreparedSave, prepareSave, saveWithin } from '../../../memory/remember/remember.js'
import { parseInput } from '../../../platform/http/errors.js'
import {
  type OperationGrounds,
  type OperationKind,
  type OperationScope,
  rejectedOutcome,
  updateRefusal,
} from '../model/operation.js'

/**
 * Saves a memory supported by sources, with its confidence as importance (rules.md 1.2). An existing one is a
 * duplicate, as with any save (rules.md 1.1.4).
 */
export const addMemory: OperationKind<'add_memory', PreparedSave> = {
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

/**
 * Replaces one memory with another. Autonomous callers only propose it; a contradiction is blocked (rules.md
 * 1.5).
 */
export const supersedeMemory: OperationKind<'supersede_memory'> = {
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
export const forgetMemory: OperationKind<'forget_memory'> = {
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
