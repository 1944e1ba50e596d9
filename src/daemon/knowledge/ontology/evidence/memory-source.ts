import { firstHolder } from '../../../../store/tables/memory/holders.js'
import { isVisibleTo } from '../../../../store/tables/memory/memory-filter.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { SourceReader } from './source.js'

/** Memories, chunks of documents among them: their content never changes. */
export const memorySource: SourceReader = {
  kind: 'memory',
  open: async (tables, { boundary }, id) => {
    const row = await tables.memories.find(id, boundary)
    if (!row) return { state: (await tables.memories.load([id])).length > 0 ? 'hidden' : 'gone' }
    if (row.is_deleted === 1) return { state: 'forgotten' }
    if (row.safety_status !== 'clean') return { state: 'unclean' }
    const further = row.further_holders > 0 ? ((await tables.holders.of([id])).get(id) ?? []) : []
    const told = [firstHolder(row), ...further].filter(holder => isVisibleTo(boundary, holder))
    return {
      state: 'readable',
      projects: told.map(({ project }) => project),
      sessionKey: row.session_id && sessionKeyOf(row.session_id),
      isPrivate: told.every(({ visibility }) => visibility === 'private'),
      stamp: row.content_hash,
      pieces: () => [row.content],
    }
  },
}
