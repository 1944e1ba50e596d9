import { AppError } from '../../../contract/ground/errors.js'
import type { SessionEndBody } from '../../../contract/sessions/hook-capture.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { SessionName, SessionRow } from '../../../store/tables/sessions/sessions.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import { ownCaller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, hasDuty, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { endSession, type SessionEndDeps } from './session-end.js'

/** Sessions per tick, and the time between ticks (rules.md 8). */
const sessionsPerTick = 10
const tickEveryMs = 15 * 60_000

/** Attempts at a session, one per tick, before it is postponed or ended without its transcript. */
const maxAttempts = 4

const reason = 'stale-session-sweep'

export type SweepDeps = SessionEndDeps & Pick<Daemon, 'log'>

/**
 * Ends sessions without a hook for as long as a claim lasts (rules.md 4.10 and 8). The last run is stored in
 * the database, since a daemon seldom lives that long. Every session is checked again before it ends; after a
 * temporary error it is retried at the next ticks. Nothing is swept while writes are frozen, since it could
 * not be captured.
 */
export function createStaleSweep(deps: SweepDeps, timers?: Timers): Worker {
  return createPeriodicWork({
    run: signal => sweepWhenDue(deps, signal),
    onError: error => deps.log.warn({ err: error }, 'sweep of abandoned sessions failed'),
    timers,
  })
}

async function sweepWhenDue(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps
  if (isFrozen(deps) || !(await isDue(deps, 'session-sweep', tickEveryMs))) return
  if (!(await hasDuty(deps, 'session-sweep'))) return
  await noteDone(deps, 'session-sweep')
  for (const row of await store.tables.sessions.abandoned(liveSessionCutoff(clock()), sessionsPerTick)) {
    if (signal.aborted) return
    await finish(deps, { agentId: row.agent_id, sessionKey: row.session_key })
  }
}

/** Ends a session like a session-end of its harness; its transcript is captured when the path is known. */
async function finish(deps: SweepDeps, name: SessionName): Promise<void> {
  const { store, clock, log } = deps
  const { sessions } = store.tables
  const row = await sessions.find(name)
  if (!row || row.ended_at !== null || row.seen_at > liveSessionCutoff(clock())) return
  try {
    await endSession(deps, ownCaller(deps, reason), bodyFor(row), { sweeps: true })
  } catch (error) {
    log.warn({ err: error }, 'capture of an abandoned session failed')
    await afterFailure(deps, name, error)
  }
}

function bodyFor(row: SessionRow): SessionEndBody {
  return {
    harness: row.harness,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    project: row.project,
    transcriptPath: row.transcript_path,
    capturedAt: row.seen_at,
    reason,
  }
}

/**
 * After a temporary error the session waits for the next tick. After some attempts it is ended or postponed,
 * so that it does not always come first.
 */
async function afterFailure({ store, clock }: SweepDeps, name: SessionName, error: unknown): Promise<void> {
  const { sessions } = store.tables
  const row = await sessions.find(name)
  if (isTemporary(error) && row && row.sweep_attempts < maxAttempts) return
  const now = clock().toISOString()
  if (error instanceof AppError) await sessions.end(name, reason, now)
  else await sessions.putOff(name, now)
}

/** Another attempt may succeed, unless the API refused the call; an unreadable file may become readable. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof AppError) || error.cause !== undefined
}
