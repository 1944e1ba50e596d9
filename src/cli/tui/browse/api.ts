import type { call } from '../../../client/call.js'
import { hasOtherHolders } from '../../../contract/memory/other-holders.js'
import type { BrowseFilter, BrowseRow, BrowseTask } from './state.js'

/** Requests of the screen to the daemon. */
export interface BrowseApi {
  /**
   * Returns the best matches first, or the newest without a query. Rejects with an AbortError if cancelled.
   */
  search(query: string, filter: BrowseFilter, signal: AbortSignal): Promise<readonly BrowseRow[]>
  /** @returns a description of the change for a person. */
  run(task: BrowseTask): Promise<string>
}

const maxRows = 100

/**
 * Implements the requests with calls of the daemon. Keyword search does not count accesses and needs no
 * vector.
 */
export function createBrowseApi(send: typeof call, project?: string): BrowseApi {
  return {
    search: async (query, { type, tag, pinned }, signal) => {
      const text = query.trim() || undefined
      const reply = await send(
        'GET /memory/search',
        { query: { q: text, project, type, tags: tag, pinned: pinned || undefined, limit: maxRows } },
        { signal },
      )
      return 'results' in reply ? reply.results : []
    },
    run: task => runTask(send, task),
  }
}

async function runTask(send: typeof call, task: BrowseTask): Promise<string> {
  const params = { id: task.row.id }
  switch (task.do) {
    case 'pin': {
      const { pinned } = task
      const reason = pinned ? 'pinned while browsing' : 'unpinned while browsing'
      await send('PATCH /api/memory/:id', { params, body: { pinned, reason } })
      return pinned ? 'Pinned.' : 'Unpinned.'
    }
    case 'tags':
      await send('PATCH /api/memory/:id', {
        params,
        body: { tags: task.tags, reason: 'tagged while browsing' },
      })
      return 'Tags saved.'
    case 'supersede': {
      const { by, reason } = task
      await send('POST /api/memories/:id/supersede', { params, body: { supersededBy: by.id, reason } })
      return `Superseded by ${by.id}.`
    }
    case 'forget': {
      const force = task.row.pinned === 1
      const removed = await send('DELETE /api/memory/:id', { params, body: { reason: task.reason, force } })
      if (hasOtherHolders(removed)) return 'Forgotten here. Other agents saved it too and still see it.'
      return `Forgotten. Undo within 30 days: memory recover ${task.row.id} --reason "..."`
    }
  }
}
