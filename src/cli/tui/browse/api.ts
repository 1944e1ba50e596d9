import type { call } from '../../../client/call.js'
import { isKeptByOthers } from '../../../contract/memory/kept-by-others.js'
import type { BrowseFilter, BrowseRow, BrowseTask } from './state.js'

/** What the screen asks of the daemon. */
export interface BrowseApi {
  /** Best first; newest first without a query. Rejects with an AbortError when it is given up. */
  search(query: string, filter: BrowseFilter, signal: AbortSignal): Promise<readonly BrowseRow[]>
  /** @returns what was done, for a person. */
  run(task: BrowseTask): Promise<string>
}

const maxRows = 100

/** The screen's requests as calls of the daemon. Searching by words counts no access and needs no vector. */
export function createBrowseApi(send: typeof call): BrowseApi {
  return {
    search: async (query, { type, tag, pinned }, signal) => {
      const text = query.trim() || undefined
      const reply = await send(
        'GET /memory/search',
        { query: { q: text, type, tags: tag, pinned: pinned || undefined, limit: maxRows } },
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
      return pinned ? 'Pinned.' : 'No longer pinned.'
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
      if (isKeptByOthers(removed)) return 'Forgotten here. Others who saved it too keep it.'
      return `Forgotten. Undo within 30 days: memory recover ${task.row.id} --reason "..."`
    }
  }
}
