import { AppError } from '../../../contract/ground/errors.js'
import type { CaptureReply } from '../../../contract/sessions/hook-capture.js'
import { isWithinProject } from '../../../store/tables/memory/memory-filter.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Returns the status of a capture, without any content.
 * @throws AppError `not_found` for a job that is unknown, another agent's, or of a project outside the
 * credential's.
 */
export async function captureStatus(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  query: NamedAgent,
  jobId: string,
): Promise<CaptureReply> {
  const agent = agentOf(caller, query) ?? defaultAgent
  const row = await store.tables.transcriptCaptures.find(jobId)
  if (!row || row.agent_id !== agent || !isWithinProject(row.project, caller.access.scope))
    throw new AppError('not_found', `transcript capture ${jobId} not found`)
  return {
    id: row.id,
    sessionKey: row.session_key,
    agentId: row.agent_id,
    harness: row.harness,
    status: row.status as CaptureReply['status'],
    error: row.error,
    capturedAt: row.captured_at,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  }
}
