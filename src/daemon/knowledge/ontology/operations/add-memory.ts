import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import { rememberBody } from '../../../../contract/memory/memory.js'
import { finishSave, type PreparedSave, prepareSave, saveWithin } from '../../../memory/remember/remember.js'
import { parseInput } from '../../../platform/http/errors.js'
import { type Given, type OperationKind, rejected, type Scope } from '../model/operation.js'

/**
 * A memory that sources give reason for, as important as it is sure (rules.md 1.2). One that is there already is a
 * duplicate, as of any save (rules.md 1.1.4).
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
  { reader: { agentId } }: Scope,
  { content, type, tags }: Payload<'add_memory'>,
  { confidence, evidence }: Given,
) {
  return parseInput(rememberBody, {
    content,
    type,
    tags,
    agentId,
    project: evidence.project,
    // What only its agent may read is told to nobody else by a memory that repeats it.
    visibility: evidence.isPrivate ? 'private' : 'global',
    pinned: false,
    importance: confidence,
    sourceType: 'ontology',
  })
}
