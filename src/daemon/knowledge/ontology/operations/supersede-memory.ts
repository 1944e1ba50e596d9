import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { indexSuperseded, supersedeWithin } from '../../../memory/edit/supersede.js'
import { type OperationKind, refusedUpdate, rejected } from '../model/operation.js'

/** One memory takes the place of another. Who acts on their own proposes it; what contradicts stays blocked (rules.md 1.5). */
export const supersedeMemory: OperationKind<'supersede_memory'> = {
  name: 'supersede_memory',
  perform: async (work, { memory: id, supersededBy }) => {
    const { deps, tables, caller, reason } = work
    const { boundary } = work.reader
    const target = await tables.memories.find(id, boundary)
    const successor = await tables.memories.find(supersededBy, boundary)
    if (target?.is_deleted !== 0 || successor?.is_deleted !== 0) return rejected('memory_not_found')
    const refused = refusedUpdate(work, id, assessContradiction(target.content, successor.content))
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
