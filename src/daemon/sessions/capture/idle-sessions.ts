import { stat } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { SessionRow } from '../../../store/tables/sessions/sessions.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { type TranscriptFile, transcriptFile } from '../transcripts/transcript-file.js'
import { captureJob, queueCapture } from './capture-worker.js'

/** Time without a hook or a transcript change after which a session counts as idle. */
const idleMs = 5 * 60_000
const sessionsPerLook = 100

export type IdleCaptureDeps = Pick<
  Daemon,
  'store' | 'clock' | 'newId' | 'paths' | 'configuration' | 'wake' | 'log'
>

/** Checks every minute for idle sessions. */
export function createIdleCapture(deps: IdleCaptureDeps, timers?: Timers): Worker {
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
    if (file) await capture(deps, row, file)
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

async function capture(deps: IdleCaptureDeps, row: SessionRow, { path }: TranscriptFile): Promise<void> {
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
