import type { RecallBody, RecallReply, RecallRow } from '../../../../contract/memory/memory.js'
import type { RecallSummary } from '../summary/make-summary.js'
import { summaryKey, summarySource } from '../summary/saved-summary.js'
import type { RowView } from './row.js'

/** The summary as a row of the reply; its id is no memory's until it is saved. */
export function summaryRow(body: RecallBody, summary: RecallSummary, view: RowView): RecallRow {
  const key = summaryKey(body.query, summary)
  return {
    id: summary.savedAs ?? `aggregate:${key}`,
    content: summary.text,
    type: 'semantic',
    tags: '',
    who: null,
    project: body.project ?? null,
    scope: body.scope ?? null,
    importance: 0,
    pinned: 0,
    score: Math.max(...summary.sources.map(({ score }) => score)),
    source: 'aggregate',
    created_at: view.now,
    session_id: null,
    source_type: summarySource,
    source_id: key,
    source_path: null,
    superseded_by: null,
    currentness: 'current',
    supplementary: true,
  }
}

/** The summary as `meta` tells of it. */
export function describeSummary(summary: RecallSummary): RecallReply['meta']['aggregate'] {
  const { budget, text, sources, savedAs, byModel } = summary
  const memories = sources.map(({ id }) => id)
  return {
    budget,
    characters: text.length,
    memories,
    ...(byModel && { byModel }),
    ...(savedAs !== undefined && { savedAs }),
  }
}
