import { stat } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { captureState } from '../../../contract/sessions/capture-rules.js'
import type { SessionEndBody } from '../../../contract/sessions/hook-capture.js'
import * as hooks from '../../../contract/sessions/hook-capture.js'
import * as contract from '../../../contract/sessions/transcripts.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { SessionName, SessionRow } from '../../../store/tables/sessions/sessions.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import { ownCaller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork, hasDuty, isDue, noteDone } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { type TranscriptFile, transcriptFile } from '../transcripts/transcript-file.js'
import { captureJob, createCaptureWorker, queueCapture } from './capture-worker.js'
import { endSession, type SessionEndDeps } from './session-end.js'

/** Time without a hook or a transcript change after which a session counts as idle. */
const idleMs = 5 * 60_000
const sessionsPerLook = 100

export type IdleCaptureDeps = Pick<
  Daemon,
  'store' | 'clock' | 'newId' | 'paths' | 'configuration' | 'wake' | 'log'
>

/** Sessions per tick, and the time between ticks (rules.md 8). */
const sessionsPerTick = 10
const tickEveryMs = 15 * 60_000

/** Attempts at a session, one per tick, before it is postponed or ended without its transcript. */
const maxAttempts = 4

const reason = 'stale-session-sweep'

export type SweepDeps = SessionEndDeps & Pick<Daemon, 'log'>

export const capture: Domain = {
  routes: lateRoutes(
    [
      hooks.sessionEnd,
      hooks.checkpointExtract,
      hooks.captureStatus,
      captureState,
      contract.sessionTranscript,
      contract.sessionTurns,
      contract.searchSessions,
    ],
    () => import('./routes.js'),
  ),
  jobs: [captureJob],
  workers: [createCaptureWorker, createStaleSweep, createIdleCapture],
}

/** Checks every minute for idle sessions. */
function createIdleCapture(deps: IdleCaptureDeps, timers?: Timers): Worker {
  return createPeriodicWork({
    run: signal => captureIdle(deps, signal),
    onError: error => deps.log.warn({ err: error }, 'capture of idle sessions failed'),
    timers,
  })
}

/**
 * Captures sessions that are idle without an end. Programs that run in the background, were killed or lost
 * their terminal end them late or never, and checkpoints skip short conversations (rules.md 4.10). The
 * session stays open and keeps its claim; it is captured again when it is next idle. Nothing is captured
 * while writes are frozen.
 */
export async function captureIdle(deps: IdleCaptureDeps, signal: AbortSignal): Promise<void> {
  if (isFrozen(deps)) return
  const now = deps.clock()
  const restedSince = now.getTime() - idleMs
  const between = { since: liveSessionCutoff(now), seenBy: new Date(restedSince).toISOString() }
  for (const row of await deps.store.tables.sessions.uncaptured(between, sessionsPerLook)) {
    if (signal.aborted) return
    const file = await fileAtRest(deps, row, restedSince)
    if (file) await captureFile(deps, row, file)
  }
}

/** @returns undefined for a file that is missing, refused, or still being written. */
async function fileAtRest(
  deps: IdleCaptureDeps,
  { transcript_path }: SessionRow,
  restedSince: number,
): Promise<TranscriptFile | undefined> {
  try {
    const file = await transcriptFile(deps, transcript_path ?? '')
    return file && (await stat(file.path)).mtimeMs <= restedSince ? file : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function captureFile(deps: IdleCaptureDeps, row: SessionRow, { path }: TranscriptFile): Promise<void> {
  const { agent_id: agentId, harness, project, session_key: sessionKey, seen_at: capturedAt } = row
  const session = { agentId, harness, project }
  const receipt = {
    id: deps.newId(),
    sessionKey,
    session,
    received: { source: 'file', path },
    capturedAt,
  } as const
  await deps.store.transaction(tables => queueCapture(deps, tables, receipt))
  deps.wake(captureJob)
}

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
