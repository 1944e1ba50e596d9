import type { ActivityItem, BlackBoxQuery, SessionEvent } from '../../../contract/sessions/black-box.js'
import * as contract from '../../../contract/sessions/black-box.js'
import { previewContext } from '../../../contract/sessions/preview.js'
import type { ActivityRow } from '../../../store/tables/sessions/session-events.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { preview } from './preview-context.js'
import { listBlackBoxes, readBlackBox, requestScope } from './read-black-box.js'

export const routes = [
  route(contract.listBlackBoxes, (daemon, { caller, query }) => listBlackBoxes(daemon, caller, query)),
  route(contract.blackBox, (daemon, { caller, params, query }) =>
    readBlackBox(daemon, caller, params.key, query),
  ),
  route(contract.sessionActivity, (daemon, { caller, query }) => listActivity(daemon, caller, query)),
  route(previewContext, (daemon, { caller, body }) => preview(daemon, caller, body)),
]

type Deps = Pick<Daemon, 'store' | 'blackBoxes'>

/**
 * Lists what the sessions of the caller's agent asked lately and what they were given, newest first
 * (rules.md 4.11).
 */
async function listActivity(
  { store, blackBoxes }: Deps,
  caller: Caller,
  query: BlackBoxQuery,
): Promise<{ activity: ActivityItem[]; count: number }> {
  const { agentId, project, isVisible } = requestScope(caller, query)
  if (!isVisible) return { activity: [], count: 0 }
  await blackBoxes.flush()
  const rows = await store.tables.sessionEvents.newest({ agentId, project }, query.limit)
  const found = new Map(rows.filter(({ kind }) => kind === 'recall.result').map(row => [placeOf(row), row]))
  const activity = rows
    .filter(({ kind }) => kind !== 'recall.result')
    .map(row => itemOf(row, found.get(placeOf(row, 1))))
    .slice(0, query.limit)
  return { activity, count: activity.length }
}

/** The place of an event, or of a later one, in the log of its session. */
function placeOf({ session_key, position }: ActivityRow, later = 0): string {
  return `${position + later} ${session_key}`
}

/** @param found the result that follows a question */
function itemOf(row: ActivityRow, found: ActivityRow | undefined): ActivityItem {
  const { id, at, kind, session_key: sessionKey, harness, project } = row
  const isQuestion = kind === 'recall.requested'
  const payload = JSON.parse(row.payload) as SessionEvent['payload']
  const refs = JSON.parse(isQuestion ? (found?.refs ?? '[]') : row.refs) as unknown[]
  return {
    id,
    kind: isQuestion ? 'asked' : 'given',
    at,
    sessionKey,
    harness,
    project,
    question: isQuestion ? row.detail : null,
    surface: isQuestion ? null : (payload.surface ?? null),
    // The refs do not name messages.
    count: isQuestion ? refs.length : (payload.given?.length ?? refs.length),
    tokens: isQuestion ? 0 : (payload.tokens ?? 0),
  }
}
