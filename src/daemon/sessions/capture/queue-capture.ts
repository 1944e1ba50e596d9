import type { Tables } from '../../../store/tables/tables.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { captureJob } from './capture-worker.js'

/** A received transcript: in a file of the daemon, or in one of the harness. */
export interface ReceivedTranscript {
  source: 'inline' | 'file'
  path: string
}

export interface NewReceipt {
  id: string
  sessionKey: string
  session: Pick<HookSession, 'agentId' | 'harness' | 'project'>
  received: ReceivedTranscript
  /** ISO time of the last message, as far as the caller knows. */
  capturedAt: string
}

/** Writes the receipt of a transcript and queues its capture; the caller's transaction makes both durable. */
export async function queueCapture(
  { clock }: Pick<Daemon, 'clock'>,
  tables: Pick<Tables, 'transcriptCaptures' | 'jobs'>,
  { id, sessionKey, session, received, capturedAt }: NewReceipt,
): Promise<void> {
  const now = clock().toISOString()
  await tables.transcriptCaptures.add({
    id,
    agent_id: session.agentId,
    session_key: sessionKey,
    harness: session.harness,
    project: session.project,
    source: received.source,
    path: received.path,
    status: 'queued',
    captured_at: capturedAt,
    created_at: now,
  })
  // The job has the id of its receipt.
  await tables.jobs.enqueue(newJob({ newId: () => id }, captureJob, id), now)
}
