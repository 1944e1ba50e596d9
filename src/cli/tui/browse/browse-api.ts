import type { call } from '../../../client/call.js'
import { hasOtherHolders } from '../../../contract/memory/other-holders.js'
import { hereOf } from '../../memory/project-flags.js'
import { replacementOf } from '../../memory/record.js'
import type { BrowseFilter, BrowseOutcome, BrowseRow, BrowseTask, Judgement } from './state.js'

/** Requests of the screen to the daemon. */
export interface BrowseApi {
  /**
   * Returns the best matches first, or the newest without a query. Rejects with an AbortError if cancelled.
   */
  search(query: string, filter: BrowseFilter, signal: AbortSignal): Promise<readonly BrowseRow[]>
  run(task: BrowseTask): Promise<BrowseOutcome>
}

interface BrowseApiInput {
  send: typeof call
  /** Returns true if the text certainly arrived. */
  copy(text: string): Promise<boolean>
}

const maxRows = 100
/** Forgotten memories are not in the index; so many of the newest ones are searched here. */
const maxForgotten = 1000

const rated: Readonly<Record<Judgement, string>> = {
  up: 'Rated helpful.',
  down: 'Rated not helpful.',
  wrong: 'Marked as wrong.',
  none: 'Rating removed.',
}

/**
 * Implements the requests with calls of the daemon. Keyword search does not count accesses and needs no
 * vector.
 */
export function createBrowseApi(input: BrowseApiInput): BrowseApi {
  return {
    search: (query, filter, signal) =>
      filter.forgotten
        ? searchForgotten(input.send, query, filter, signal)
        : searchKept(input.send, query, filter, signal),
    run: task => runTask(input, task),
  }
}

async function searchKept(
  send: typeof call,
  query: string,
  filter: BrowseFilter,
  signal: AbortSignal,
): Promise<readonly BrowseRow[]> {
  const fields = { ...fieldsOf(filter), q: query.trim() || undefined, limit: maxRows }
  const reply = await send('GET /memory/search', { query: fields }, { signal, ...placeOf(filter) })
  return 'results' in reply ? reply.results : []
}

async function searchForgotten(
  send: typeof call,
  query: string,
  filter: BrowseFilter,
  signal: AbortSignal,
): Promise<readonly BrowseRow[]> {
  const fields = { ...fieldsOf(filter), deleted: true, limit: maxForgotten }
  const reply = await send('GET /api/memories', { query: fields }, { signal, ...placeOf(filter) })
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean)
  return reply.memories
    .filter(({ content, tags }) => words.every(word => `${content} ${tags}`.toLowerCase().includes(word)))
    .slice(0, maxRows)
}

function fieldsOf({ type, tag, project, pinned }: BrowseFilter) {
  const isName = project !== '*' && project !== '-'
  return { type, tags: tag, pinned: pinned || undefined, project: isName ? project : undefined }
}

function placeOf({ project }: BrowseFilter) {
  return hereOf({ 'all-projects': project === '*', 'no-project': project === '-', project })
}

async function runTask({ send, copy }: BrowseApiInput, task: BrowseTask): Promise<BrowseOutcome> {
  const { row } = task
  const params = { id: row.id }
  switch (task.do) {
    case 'pin': {
      const { pinned } = task
      const reason = pinned ? 'pinned while browsing' : 'unpinned while browsing'
      await send('PATCH /api/memory/:id', { params, body: { pinned, reason } })
      return { text: pinned ? 'Pinned.' : 'Unpinned.', undo: { do: 'pin', row, pinned: !pinned } }
    }
    case 'tags':
      await send('PATCH /api/memory/:id', {
        params,
        body: { tags: task.tags, reason: 'tagged while browsing' },
      })
      return { text: 'Tags saved.', undo: { do: 'tags', row, tags: row.tags } }
    case 'edit':
      return editText(send, row, task.text)
    case 'rate':
      await send('POST /api/memory/:id/judgement', { params, body: { judgement: task.judgement } })
      return { text: rated[task.judgement], undo: { do: 'rate', row, judgement: 'none' } }
    case 'copy': {
      const arrived = await copy(task.part === 'id' ? row.id : row.content)
      const what = task.part === 'id' ? 'Id' : 'Text'
      return { text: arrived ? `${what} copied.` : `${what} sent to the clipboard of this terminal.` }
    }
    case 'supersede': {
      const { by, reason } = task
      await send('POST /api/memories/:id/supersede', { params, body: { supersededBy: by.id, reason } })
      return { text: `Superseded by ${by.id}.` }
    }
    case 'recover':
      await send('POST /api/memory/:id/recover', { params, body: { reason: 'undone while browsing' } })
      return { text: 'Brought back.' }
    case 'forget': {
      const force = row.pinned === 1
      const removed = await send('DELETE /api/memory/:id', { params, body: { reason: task.reason, force } })
      if (hasOtherHolders(removed))
        return { text: 'Forgotten here. Other agents saved it too and still see it.' }
      return {
        text: 'Forgotten. u undoes it; later, within 30 days: memory undo',
        undo: { do: 'recover', row },
      }
    }
  }
}

/** Saves a new version, as `memory edit --text`; its undo saves the text before it. */
async function editText(send: typeof call, row: BrowseRow, content: string): Promise<BrowseOutcome> {
  const old = await send('GET /api/memory/:id', { params: { id: row.id } })
  const body = replacementOf(old, { content, reason: 'edited while browsing' })
  const { id } = await send('POST /api/memory/remember', { body })
  if (id === old.id) return { text: 'Unchanged.' }
  return {
    text: 'Saved as a new version.',
    undo: { do: 'edit', row: { ...row, id, content }, text: old.content },
  }
}
