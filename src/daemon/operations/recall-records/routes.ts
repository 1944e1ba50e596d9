import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RecallBody, type RecallRow, recallBody } from '../../../contract/memory/memory.js'
import * as contract from '../../../contract/operations/recall-records.js'
import {
  type ReplayBody,
  type ReplayReply,
  type ReplayResult,
  type ReplaySummary,
  replayRecalls as replayEndpoint,
} from '../../../contract/operations/recall-records.js'
import type {
  RecallRecordResultRow,
  RecallRecordRow,
} from '../../../store/tables/operations/recall-records.js'
import { parseChunkEntryId } from '../../ground/index/artifact-entries.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { readLedger } from '../../memory/recall/choose/ledger.js'
import { type RecallDeps, replayRecall } from '../../memory/recall/recall.js'
import { maxText, rowIdOf } from '../../memory/recall/recorded/record-recall.js'
import type { RecallLedger } from '../../memory/recall/search/candidates.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { dropRecallRecords, exportRecallRecords, listRecallRecords, recordFilterFor } from './read-records.js'

export const routes = [
  route(contract.listRecallRecords, (daemon, { caller, query }) => listRecallRecords(daemon, caller, query)),
  route(contract.exportRecallRecords, async (daemon, { caller, query }) =>
    exportRecallRecords(daemon, caller, query),
  ),
  route(contract.dropRecallRecords, (daemon, { caller, query }) => dropRecallRecords(daemon, caller, query)),
  route(replayEndpoint, (daemon, { caller, body, untilGone }) =>
    replayRecalls(daemon, caller, body, untilGone()),
  ),
]

type Deps = RecallDeps & Pick<Daemon, 'recallRecorder'>

/** One result of a recall, of any kind. */
export interface AnswerRow {
  id: string
  rank: number
  content: string | null
}

/**
 * `POST /api/telemetry/memory-search/replay`: repeats recorded recalls one after another, with the recorded
 * request and the current settings. A replay is neither counted nor recorded (telemetry.md 6).
 * @param gone ends the replay between two recalls; the results so far are returned
 */
async function replayRecalls(
  deps: Deps,
  caller: Caller,
  { limit, after, ids, ...query }: ReplayBody,
  gone: AbortSignal,
): Promise<ReplayReply> {
  await deps.recallRecorder.flush()
  const { recallRecords } = deps.store.tables
  const filter = { ...recordFilterFor(caller, query), ids }
  // One extra row shows whether more follow.
  const rows = await recallRecords.list(filter, { limit: limit + 1, after })
  const total = await recallRecords.count(filter)
  const asked = rows.slice(0, limit)
  const stored = await recallRecords.resultsOf(asked.map(row => row.id))
  const results: ReplayResult[] = []
  for (const row of asked) {
    if (gone.aborted) break
    results.push(await replayOne(deps, caller, row, stored.get(row.id) ?? []))
    await nextTurn()
  }
  const last = asked.at(-1)
  const next = rows.length > limit && last ? { created_at: last.created_at, id: last.id } : null
  return { results, summary: sumOf(results), total, next }
}

async function replayOne(
  deps: Deps,
  caller: Caller,
  row: RecallRecordRow,
  stored: readonly RecallRecordResultRow[],
): Promise<ReplayResult> {
  const head = {
    id: row.id,
    created_at: row.created_at,
    route: row.route,
    agent_id: row.agent_id,
    query: row.query,
    before: stored.length,
  }
  const body = row.whole === 1 ? bodyOf(row) : undefined
  if (!body) {
    const nothing = { found: [], lost: [], moved: [] }
    return {
      ...head,
      ...nothing,
      status: 'skipped',
      after: 0,
      top_score: { before: row.top_score, after: null },
    }
  }
  const ledger = await ledgerThen(deps, row)
  const { results: rows } = await replayRecall(deps, within(caller, row), body, ledger)
  // Summary rows were generated from the results, and a replay generates none.
  const before = stored
    .filter(({ source }) => source !== 'aggregate')
    .map(({ row_id: id, rank, content }) => ({ id, rank, content }))
  const after = rows.map(toAnswerRow)
  const compared = compareAnswers(before, after, await changedSince(deps, row, before, rows))
  const isSame = [compared.found, compared.lost, compared.moved].every(list => list.length === 0)
  return {
    ...head,
    ...compared,
    status: isSame ? 'same' : 'changed',
    before: before.length,
    after: after.length,
    top_score: { before: row.top_score, after: after.length > 0 ? topOf(rows) : null },
  }
}

/** The recorded request; undefined when this release no longer accepts it. */
function bodyOf({ query, request }: RecallRecordRow): RecallBody | undefined {
  const { saveAggregate: _saved, ...asked } = JSON.parse(request) as Record<string, unknown>
  const parsed = recallBody.safeParse({ ...asked, query })
  return parsed.success ? parsed.data : undefined
}

/** The current caller, further confined to the scope of the recorded one. */
function within(caller: Caller, { scope_project, scope_user }: RecallRecordRow): Caller {
  const { access } = caller
  const scope = {
    ...access.scope,
    ...(scope_project !== null && { project: scope_project }),
    ...(scope_user !== null && { user: scope_user }),
  }
  return { ...caller, agentId: undefined, access: { ...access, scope } }
}

/** The memories shown to the session at that time; ratings are the current ones. */
async function ledgerThen(deps: Deps, row: RecallRecordRow): Promise<RecallLedger | undefined> {
  if (row.session_key === null) return undefined
  const now = await readLedger(deps, { agentId: row.agent_id, sessionKey: row.session_key })
  return { ...now, recalled: new Set(JSON.parse(row.withheld) as string[]) }
}

/** Ids are ordered by time, so a greater id was saved after the record. */
async function changedSince(
  { store }: Deps,
  record: RecallRecordRow,
  before: readonly AnswerRow[],
  after: readonly RecallRow[],
): Promise<Set<string>> {
  const saved = after.filter(row =>
    row.artifact ? row.created_at > record.created_at : row.id > record.id && !row.entity,
  )
  const shown = new Set(after.map(rowIdOf))
  const lost = before.map(({ id }) => id).filter(id => !shown.has(id) && !id.startsWith('entity:'))
  const places = lost
    .filter(id => id.includes('#'))
    .map(parseChunkEntryId)
    .map(({ artifact_id, chunk }) => [artifact_id, chunk] as const)
  const there = await store.tables.recallRecords.keepable(lost, places)
  return new Set([...saved.map(rowIdOf), ...lost.filter(id => !there.has(id))])
}

function toAnswerRow(row: RecallRow, index: number): AnswerRow {
  return { id: rowIdOf(row), rank: index + 1, content: row.content.slice(0, maxText) }
}

function topOf(rows: readonly RecallRow[]): number {
  return Math.max(...rows.map(({ score }) => score))
}

type Comparison = Pick<ReplayResult, 'found' | 'lost' | 'moved'>

/**
 * Differences between two answers to the same recall.
 * @param changed ids of rows that were saved, forgotten or removed in between, so no setting caused the
 * difference
 */
export function compareAnswers(
  before: readonly AnswerRow[],
  after: readonly AnswerRow[],
  changed: ReadonlySet<string>,
): Comparison {
  const then = new Map(before.map(row => [row.id, row]))
  const now = new Map(after.map(row => [row.id, row]))
  const apart = (row: AnswerRow) => ({
    id: row.id,
    rank: row.rank,
    content: row.content,
    why: changed.has(row.id) ? ('changed' as const) : ('ranked' as const),
  })
  return {
    found: after.filter(({ id }) => !then.has(id)).map(apart),
    lost: before.filter(({ id }) => !now.has(id)).map(apart),
    moved: after.flatMap(({ id, rank: to, content }) => {
      const from = then.get(id)?.rank
      return from === undefined || from === to ? [] : [{ id, from, to, content: content ?? '' }]
    }),
  }
}

function sumOf(results: readonly ReplayResult[]): ReplaySummary {
  const compared = results.filter(({ status }) => status !== 'skipped')
  const count = (list: (one: ReplayResult) => readonly unknown[]): number =>
    results.reduce((sum, one) => sum + list(one).length, 0)
  const changed = compared.filter(({ status }) => status === 'changed').length
  return {
    queries: results.length,
    same: compared.length - changed,
    changed,
    skipped: results.length - compared.length,
    found: count(({ found }) => found),
    lost: count(({ lost }) => lost),
    moved: count(({ moved }) => moved),
    no_hits: {
      before: compared.filter(({ before }) => before === 0).length,
      after: compared.filter(({ after }) => after === 0).length,
    },
  }
}
