import type { z } from 'zod'
import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/tools.js'
import { hasOtherHolders } from '../../../contract/memory/other-holders.js'
import type { FoundItem } from '../../../contract/operations/items.js'
import { clip } from '../../../lib/text/clip.js'
import { label } from '../../../lib/text/one-line.js'
import {
  historyText,
  listedContent,
  listText,
  maxListedContent,
  readOfListed,
  savedText,
} from '../../tool/memory-text.js'
import { type Call, type ResourceRef, type Tool, type ToolReply, tool } from '../../tool/tool.js'
import { itemsText, itemText, openedData } from './item-text.js'

const maxReason = 200
const maxTags = 1000

/** Advice about errors that concern one memory (rules.md 4.5 to 4.8). */
const unknown = { not_found: 'Find the right id with memory_search or memory_list.' }
const outdated = { version_conflict: 'It has changed: read it again with memory_get, then decide.' }
const duplicate = { duplicate_content_hash: 'The text exists already: find it with memory_search.' }

type SearchInput = z.infer<typeof contract.memorySearchInput>
type SearchOutput = z.input<typeof contract.memorySearchOutput>

const memorySearch = tool({
  name: 'memory_search',
  title: 'Search memory',
  description:
    'Search knowledge from earlier sessions: decisions, preferences, rules, fixes, how things work. ' +
    'Use it before a task, before you ask the user, and when they refer to the past. ' +
    'memory_get has the full text of a result.',
  tier: 'core',
  effect: 'reads',
  input: contract.memorySearchInput,
  output: contract.memorySearchOutput,
  links: ({ results }) => results.map(memoryRef),
  run: search,
})

const searchAll = tool({
  name: 'search_all',
  title: 'Search all',
  description: 'Search every kind at once: memory, session, note, document, code, entity.',
  tier: 'extra',
  effect: 'reads',
  input: contract.searchAllInput,
  output: contract.searchAllOutput,
  links: ({ items }) => (items as FoundItem[]).flatMap(itemRef),
  run: async (call, body) => {
    const reply = await call('POST /api/search', { body })
    return { text: itemsText(reply), data: { items: reply.items, total: reply.total } }
  },
})

const memoryStore = tool({
  name: 'memory_store',
  title: 'Save to memory',
  description:
    'Save one durable fact, decision, preference, rule or lesson for later sessions. ' +
    'Use it when the user states one, asks you to remember, or when you learned something hard-won. ' +
    'One statement per call; no secrets, no state of the current task.',
  tier: 'core',
  effect: 'adds',
  input: contract.memoryStoreInput,
  output: contract.memoryStoreOutput,
  links: ({ id, type }) => [{ kind: 'memory', id, title: type }],
  remedies: unknown,
  run: async (call, { hints, transcript, structured, ...body }) => {
    const evidence = { ...structured, ...(hints?.length && { hints }), ...(transcript && { transcript }) }
    const isGiven = Object.keys(evidence).length > 0
    const saved = await call('POST /api/memory/remember', {
      body: { ...body, ...(isGiven && { structured: evidence }) },
    })
    const { id, type, deduped, contentSafety } = saved
    return { text: savedText(saved), data: { id, type, deduped, safety: contentSafety.status } }
  },
})

const memoryGet = tool({
  name: 'memory_get',
  title: 'Read a memory',
  description: 'Read one memory or other result in full, by its id or the last 8 characters of it.',
  tier: 'core',
  effect: 'reads',
  input: contract.memoryGetInput,
  output: contract.memoryGetOutput,
  remedies: { not_found: `If it was forgotten, memory_recover restores it. Otherwise: ${unknown.not_found}` },
  run: async (call, { id }) => {
    const item = await call('GET /api/items/:id', { params: { id } })
    return { text: itemText(item), data: openedData(item) }
  },
})

const memoryModify = tool({
  name: 'memory_modify',
  title: 'Change a memory',
  description:
    'Change tags or importance of one memory. For another text, use memory_store and memory_forget.',
  tier: 'core',
  effect: 'adds',
  input: contract.memoryModifyInput,
  output: contract.memoryChangeOutput,
  remedies: {
    ...unknown,
    ...outdated,
    ...duplicate,
    episodic_content_immutable:
      'Save the new text with memory_store, then forget this one with memory_forget.',
    deleted: 'It was forgotten; memory_recover restores it.',
  },
  run: async (call, { id, ...body }) => {
    const { status } = await call('PATCH /api/memory/:id', { params: { id }, body })
    const text = status === 'no_changes' ? `${id} already has these values.` : `Changed ${id}.`
    return { text, data: { id, status } }
  },
})

const memoryForget = tool({
  name: 'memory_forget',
  title: 'Forget memories',
  description: 'Forget wrong or unwanted memories, recoverable for 30 days. Tell the user.',
  tier: 'core',
  effect: 'removes',
  input: contract.memoryForgetInput,
  output: contract.memoryForgetOutput,
  remedies: {
    ...unknown,
    ...outdated,
    already_deleted: 'Already forgotten; memory_recover restores it.',
    pinned_requires_force: 'It is pinned: ask the user to run `memory forget --force` with this id.',
    autonomous_force_denied: 'It is pinned: ask the user to forget it.',
  },
  question: ({ id, more_ids: more = [] }) =>
    more.length === 0
      ? undefined
      : { text: `Forget these ${more.length + 1} memories?`, memories: [id, ...more] },
  run: async (call, { id, more_ids: others, reason }) => {
    const first = await forget(call, id, reason)
    if (!others) return { text: first.text, data: { id, status: first.status } }
    const rest: { id: string; text: string; isKept: boolean }[] = []
    for (const other of others)
      rest.push(await forget(call, other, reason).catch(error => notForgotten(other, error)))
    return {
      text: [first, ...rest].map(({ text }) => text).join('\n'),
      data: { id, status: first.status, kept: rest.filter(({ isKept }) => isKept).map(({ id }) => id) },
    }
  },
})

async function forget(call: Call, id: string, reason: string) {
  const removed = await call('DELETE /api/memory/:id', { params: { id }, body: { reason } })
  const text = hasOtherHolders(removed)
    ? `Forgot ${id} here; other agents saved it too and still see it. Saving it again restores it.`
    : `Forgot ${id}; recoverable for 30 days.`
  return { id, status: removed.status, text, isKept: false }
}

/** The others are still forgotten. */
function notForgotten(id: string, error: unknown) {
  if (!(error instanceof ClientError)) throw error
  return { id, text: `Kept ${id}: ${error.message}`, isKept: true }
}

const memoryFeedback = tool({
  name: 'memory_feedback',
  title: 'Rate memories',
  description: 'Rate memories shown in this session once you know if they helped. Its later searches use it.',
  tier: 'core',
  effect: 'adds',
  input: contract.memoryFeedbackInput,
  output: contract.memoryFeedbackOutput,
  run: async (call, body) => {
    const reply = await call('POST /api/memory/feedback', { body })
    const { ok, recorded, accepted, rejected, propagated } = reply
    const why = rejected > 0 ? '; the others were not shown in this session' : ''
    const text = `${accepted} of ${recorded} ratings recorded${why}.`
    return { text, data: { ok, recorded, accepted, rejected, propagated } }
  },
})

const memoryList = tool({
  name: 'memory_list',
  title: 'List memories',
  description: 'Page through memories, newest first, for an overview. To find one, use memory_search.',
  tier: 'extra',
  effect: 'reads',
  input: contract.memoryListInput,
  output: contract.memoryListOutput,
  links: ({ memories }) => memories.map(memoryRef),
  run: async (call, { limit, offset, ...filters }) => {
    const query = { limit, offset, ...filters, maxContent: readOfListed }
    const { memories, matching } = await call('GET /api/memories', { query })
    return {
      text: listText(memories, { offset, total: matching }),
      data: { memories: memories.map(listedRow), total: matching },
    }
  },
})

const memoryHistory = tool({
  name: 'memory_history',
  title: 'History of a memory',
  description: 'List the changes of one memory, even a forgotten one: author, time and reason.',
  tier: 'rare',
  effect: 'reads',
  input: contract.memoryHistoryInput,
  output: contract.memoryHistoryOutput,
  remedies: unknown,
  run: async (call, { id, ...query }) => {
    const { history, nextOffset } = await call('GET /api/memory/:id/history', { params: { id }, query })
    const events = history.map(({ event, reason, createdAt }) => ({
      event,
      reason: label(reason, maxReason),
      createdAt,
    }))
    return {
      text: historyText(id, history, { offset: query.offset, nextOffset }),
      data: { id, history: events, ...(nextOffset !== undefined && { nextOffset }) },
    }
  },
})

const memoryRecover = tool({
  name: 'memory_recover',
  title: 'Recover a memory',
  description: 'Restore a memory that was forgotten in the last 30 days.',
  tier: 'extra',
  effect: 'adds',
  input: contract.memoryRecoverInput,
  output: contract.memoryChangeOutput,
  remedies: {
    ...unknown,
    ...outdated,
    ...duplicate,
    not_deleted: 'It is not forgotten: memory_get shows it.',
    retention_expired: 'It is permanently deleted: save it again with memory_store if you know its text.',
  },
  run: async (call, { id, reason }) => {
    const { status } = await call('POST /api/memory/:id/recover', { params: { id }, body: { reason } })
    return { text: `Recovered ${id}.`, data: { id, status } }
  },
})

const recallByOldName: Tool = {
  ...memorySearch,
  name: 'service_recall',
  description: 'Alias of memory_search for older clients.',
  tier: 'rare',
}

const saveNote = tool({
  name: 'service_save_note',
  title: 'Save a note',
  description: 'Save a note as a separate file that searches also find. For a fact, prefer memory_store.',
  tier: 'rare',
  effect: 'adds',
  input: contract.saveNoteInput,
  output: contract.saveNoteOutput,
  run: async (call, body) => {
    const { path } = await call('POST /api/memory/harnessb-native-note', { body })
    return { text: `Saved the note in ${path}.`, data: { path } }
  },
})

/** Tools on memories (mcp.md 4.9). */
export const memoryTools: readonly Tool[] = [
  memorySearch,
  searchAll,
  memoryStore,
  memoryGet,
  memoryModify,
  memoryForget,
  memoryFeedback,
  memoryList,
  memoryHistory,
  memoryRecover,
  recallByOldName,
  saveNote,
]

async function search(call: Call, input: SearchInput): Promise<ToolReply<SearchOutput>> {
  const { results, method, message } = await call('POST /api/memory/recall', { body: recallBody(input) })
  const rows = results
    .filter(({ score }) => score >= (input.score_min ?? 0))
    .map(row => ({ ...rowOf(row), score: row.score }))
  // Replaces the endpoint's name of the field with the tool's.
  const text = message.replace('; set includeRecalled to', '; set include_recalled to')
  return { text, data: { results: rows, count: rows.length, method } }
}

/** Converts the tool's arguments to the endpoint's names (recall.md 4.9). */
function recallBody(input: SearchInput) {
  const { agent_id, scope, keyword_query, importance_min, min_score, session_key, ...rest } = input
  const { include_recalled, aggregate, aggregate_budget, save_aggregate, ...filters } = rest
  return {
    ...filters,
    agentId: agent_id,
    keywordQuery: keyword_query,
    importance_min: importance_min ?? min_score,
    readPolicy: scope && (scope === 'agent' ? ('isolated' as const) : ('shared' as const)),
    sessionId: scope === 'session' ? session_key : undefined,
    sessionKey: session_key,
    includeRecalled: include_recalled,
    aggregate,
    aggregateBudget: aggregate_budget,
    saveAggregate: aggregate && (save_aggregate ?? true),
  }
}

/** Removes all text written by callers from memories that recall would hide. */
function listedRow(memory: Reply<'GET /api/memories'>['memories'][number]) {
  const content = listedContent(memory, maxListedContent)
  return rowOf({ ...memory, content, tags: memory.contentSafety.status === 'clean' ? memory.tags : '' })
}

function memoryRef({ id, type, content }: { id: string; type: string; content: string }): ResourceRef {
  return { kind: 'memory', id, title: `${type}: ${content}` }
}

/** Notes and code are not resources. A session is found by one of its turns, `session:KEY#3`. */
function itemRef({ kind, id, title }: FoundItem): ResourceRef[] {
  const named = { title: `${kind}: ${title}` }
  if (kind === 'memory' || kind === 'document') return [{ kind, id, ...named }]
  if (kind === 'entity') return [{ kind, id: title, ...named }]
  return kind === 'session'
    ? [{ kind, id: id.slice(id.indexOf(':') + 1, id.lastIndexOf('#')), ...named }]
    : []
}

interface ShownRow {
  id: string
  content: string
  verbatim?: string | undefined
  type: string
  tags: string
  created_at: string
}

function rowOf(row: ShownRow) {
  const { id, type, tags, created_at } = row
  return {
    id,
    content: clip(row.verbatim ?? row.content, maxListedContent),
    type,
    tags: label(tags, maxTags),
    created_at,
  }
}
