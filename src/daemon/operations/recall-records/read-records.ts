import { Readable } from 'node:stream'
import type { Reply } from '../../../contract/api.js'
import type { RecallRecord, RecallRecordQuery } from '../../../contract/operations/recall-records.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type {
  RecallRecordCursor,
  RecallRecordFilter,
  RecallRecordResultRow,
  RecallRecordRow,
} from '../../../store/tables/operations/recall-records.js'
import { recallsAreRecorded } from '../../ground/recording/recall-recorder.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'recallRecorder' | 'configuration' | 'environment'>
type Query = Omit<RecallRecordQuery, 'limit' | 'offset'>
type Page = Pick<RecallRecordQuery, 'limit' | 'offset'>

/** Records read or deleted per statement. */
const batchSize = 50

/**
 * The records a caller asks for and may read: limited to its agent and to its credential's scope.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
export function recordFilterFor(caller: Caller, query: Query): RecallRecordFilter {
  const { scope } = caller.access
  return {
    agentId: agentOf(caller, query),
    sessionKey: query.session_key === undefined ? undefined : sessionKeyOf(query.session_key),
    route: query.route,
    since: query.since,
    until: query.until,
    noHits: query.no_hits,
    project: scope.project,
    user: scope.user,
  }
}

/** `GET /api/telemetry/memory-search`: newest first. */
export async function listRecallRecords(
  deps: Deps,
  caller: Caller,
  { limit, offset, ...query }: RecallRecordQuery,
): Promise<Reply<'GET /api/telemetry/memory-search'>> {
  await deps.recallRecorder.flush()
  const items: RecallRecord[] = []
  for await (const page of pages(deps, recordFilterFor(caller, query), { limit, offset })) items.push(...page)
  return { items, count: items.length, enabled: recallsAreRecorded(deps) }
}

/** `GET /api/telemetry/memory-search/export`: one JSON line per record, read while it is sent. */
export async function exportRecallRecords(
  deps: Deps,
  caller: Caller,
  { limit, offset, ...query }: RecallRecordQuery,
): Promise<Readable> {
  await deps.recallRecorder.flush()
  return Readable.from(lines(deps, recordFilterFor(caller, query), { limit, offset }))
}

/** `DELETE /api/telemetry/memory-search`: permanently deletes the matching records. */
export async function dropRecallRecords(
  { store, recallRecorder }: Deps,
  caller: Caller,
  query: Query,
): Promise<{ deleted: number }> {
  await recallRecorder.flush()
  const filter = recordFilterFor(caller, query)
  let deleted = 0
  for (;;) {
    const dropped = await store.transaction(({ recallRecords }) => recallRecords.drop(filter, batchSize))
    if (dropped === 0) return { deleted }
    deleted += dropped
  }
}

async function* lines(deps: Deps, filter: RecallRecordFilter, page: Page): AsyncGenerator<string> {
  const budget = new LoopBudget()
  for await (const records of pages(deps, filter, page)) {
    yield records.map(record => `${JSON.stringify(record)}\n`).join('')
    await budget.breathe()
  }
}

async function* pages(
  { store }: Pick<Daemon, 'store'>,
  filter: RecallRecordFilter,
  { limit, offset }: Page,
): AsyncGenerator<RecallRecord[]> {
  const { recallRecords } = store.tables
  let after: RecallRecordCursor | undefined
  for (let left = limit; left > 0; ) {
    const asked = Math.min(left, batchSize)
    const place = after ? { after } : { offset }
    const rows = await recallRecords.list(filter, { limit: asked, ...place })
    if (rows.length === 0) return
    const results = await recallRecords.resultsOf(rows.map(({ id }) => id))
    yield rows.map(row => toRecord(row, results.get(row.id) ?? []))
    if (rows.length < asked) return
    left -= rows.length
    after = rows.at(-1)
  }
}

function toRecord(row: RecallRecordRow, results: readonly RecallRecordResultRow[]): RecallRecord {
  return {
    id: row.id,
    created_at: row.created_at,
    route: row.route,
    agent_id: row.agent_id,
    session_key: row.session_key,
    query: row.query,
    filters: JSON.parse(row.request),
    result_count: row.result_count,
    top_score: row.top_score,
    no_hits: row.result_count === 0,
    duration_ms: Math.round(row.duration_ms * 100) / 100,
    results: results.map(({ rank, row_id: id, score, source, content }) => ({
      rank,
      id,
      score,
      source,
      content,
    })),
  }
}
