import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import { rememberBody } from '../../../../contract/memory/memory.js'
import { finishSave, type PreparedSave, prepareSave, saveWithin } from '../../../memory/remember/remember.js'
import { parseInput } from '../../../platform/http/errors.js'
import {
  type OperationGrounds,
  type OperationKind,
  type OperationScope,
  rejected,
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
    if (prepared.memory.safety_status !== 'clean') return rejected('unsafe_content')
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
