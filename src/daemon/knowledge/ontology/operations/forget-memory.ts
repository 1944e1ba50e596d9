import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { indexForgotten, removeWithin } from '../../../memory/edit/remove.js'
import { type OperationKind, refusedUpdate, rejected } from '../model/operation.js'

/** A memory is forgotten, as by a person: for 30 days it can be recovered, and a pinned one stays. */
export const forgetMemory: OperationKind<'forget_memory'> = {
  name: 'forget_memory',
  perform: async (work, { memory: id }) => {
    const { deps, tables, caller, reason, evidence } = work
    const { boundary } = work.reader
    const target = await tables.memories.find(id, boundary)
    if (target?.is_deleted !== 0) return rejected('memory_not_found')
    // What speaks against the memory is what other sources say, and why it is to be forgotten.
    const others = evidence.quotes.filter(({ sourceId }) => sourceId !== id).map(({ quote }) => quote)
    const refused = refusedUpdate(
      work,
      id,
      assessContradiction(target.content, [...others, reason].join('\n')),
    )
    if (refused) return refused
    const removal = { id, reason, force: false }
    const { result, forgotten } = await removeWithin(deps, tables, caller, boundary, removal)
    if (result.status !== 'deleted') return rejected(result.status, id)
    return { status: 'applied', id, memoryId: id, after: () => indexForgotten(deps, forgotten) }
  },
}
