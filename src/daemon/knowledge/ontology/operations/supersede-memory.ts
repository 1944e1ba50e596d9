import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { indexSuperseded, supersedeWithin } from '../../../memory/edit/supersede.js'
import { type OperationKind, rejected, updateRefusal } from '../model/operation.js'

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
    if (target?.is_deleted !== 0 || successor?.is_deleted !== 0) return rejected('memory_not_found')
    const refused = updateRefusal(work, id, assessContradiction(target.content, successor.content))
    if (refused) return refused
    const { result, superseded } = await supersedeWithin(deps, tables, caller, boundary, {
      id,
      supersededBy,
      reason,
    })
    if (!superseded) return rejected(result.status, id)
    return { status: 'applied', id, memoryId: id, after: async () => indexSuperseded(deps, superseded) }
  },
}
