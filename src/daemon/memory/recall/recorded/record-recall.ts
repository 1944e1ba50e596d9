import { type RecallRow, recallBody, type SearchParameters } from '../../../../contract/memory/memory.js'
import type { NewRecallResult } from '../../../../store/tables/operations/recall-records.js'
import { recallsAreRecorded } from '../../../ground/recording/recall-recorder.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { withoutPrivate, withoutPrivateTexts } from '../../../ground/text/private-spans.js'
import { agentOf } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { RecallRun } from '../recall.js'

export type RecordDeps = Pick<
  Daemon,
  'recallRecorder' | 'configuration' | 'environment' | 'clock' | 'newId' | 'log'
>

/** Maximum characters of a stored query, and of the other request fields. */
const maxQuery = 10_000
const maxRequest = 8000
/** Maximum stored ids that the session had been shown before. */
const maxWithheld = 1000
/** Rows stored with their text, and characters of each. */
const rowsWithText = 20
export const maxText = 1000

interface RecallContext {
  /** Path of the request. */
  route: string
  durationMs: number
}

/**
 * Passes an answered recall to the recorder when recalls are recorded (telemetry.md 5). The reply does not
 * wait, and a failure never reaches the caller.
 */
export function recordRecall(
  deps: RecordDeps,
  caller: Caller,
  body: SearchParameters,
  run: RecallRun,
  context: RecallContext,
): void {
  if (!recallsAreRecorded(deps)) return
  try {
    deps.recallRecorder.add(recordOf(deps, caller, body, run, context))
  } catch (error) {
    deps.log.warn({ err: error }, 'recall not recorded')
  }
}

function recordOf(
  { clock, newId }: RecordDeps,
  caller: Caller,
  body: SearchParameters,
  { reply, shownBefore }: RecallRun,
  { route, durationMs }: RecallContext,
) {
  const query = withoutPrivate(body.query).slice(0, maxQuery)
  const asked = askedOf(caller, body)
  const request = JSON.stringify(withoutPrivateTexts(asked))
  const fits = request.length <= maxRequest
  const isSame = query === body.query && request === JSON.stringify(asked)
  const { scope } = caller.access
  const record = {
    id: newId(),
    created_at: clock().toISOString(),
    route,
    agent_id: agentOf(caller, body) ?? defaultAgent,
    session_key: body.sessionKey ? sessionKeyOf(body.sessionKey) : null,
    scope_project: scope.project ?? null,
    scope_user: scope.user ?? null,
    query,
    request: fits ? request : '{}',
    withheld: JSON.stringify(shownBefore.slice(0, maxWithheld)),
    whole: isSame && fits && shownBefore.length <= maxWithheld ? 1 : 0,
    result_count: reply.count,
    top_score: reply.results.length > 0 ? Math.max(...reply.results.map(({ score }) => score)) : null,
    duration_ms: durationMs,
  }
  return { record, results: reply.results.map(resultOf) }
}

/** The request fields besides the query, with the acting agent. */
function askedOf(caller: Caller, body: SearchParameters): Record<string, unknown> {
  const { query: _query, sessionKey: _session, agent_id: _alias, explain: _explain, ...rest } = body
  const { elsewhere: _counts, ...asked } = rest
  const fields = { ...asked, agentId: agentOf(caller, body) }
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => field in recallBody.shape && value !== undefined && value !== null,
    ),
  )
}

function resultOf(row: RecallRow, index: number): NewRecallResult {
  const { content, score, source } = row
  return {
    rank: index + 1,
    row_id: rowIdOf(row),
    score,
    source,
    content: index < rowsWithText ? content.slice(0, maxText) : null,
  }
}

/** A card keeps the entity's id, although its own id changes with its values. */
export function rowIdOf({ id, entity }: Pick<RecallRow, 'id' | 'entity'>): string {
  return entity ? `entity:${entity.id}` : id
}
