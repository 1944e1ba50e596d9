import { ClientError } from '../../client/client-error.js'
import type { Address, Reply, Request } from '../../contract/api.js'
import { askUntil } from '../ask-until.js'
import type { ImportedHarness, SessionFile } from './session-files.js'

/** What became of one session. */
export type SessionOutcome =
  | { kind: 'imported' }
  /** Somebody works in it: it is captured when it ends. */
  | { kind: 'live' }
  | { kind: 'failed'; reason: string }

export type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>

export interface ImportOptions {
  call: CallDaemon
  harness: ImportedHarness
  project: string | undefined
}

/** Hands one session over and waits until it is captured. @throws ClientError when the daemon does not answer. */
export async function importSession(
  { call, harness, project }: ImportOptions,
  { sessionKey, path, cwd, endedAt }: SessionFile,
): Promise<SessionOutcome> {
  if (await isLive(call, sessionKey)) return { kind: 'live' }
  try {
    const reply = await call('POST /api/hooks/session-end', {
      body: { harness, sessionKey, transcriptPath: path, capturedAt: endedAt, cwd, project },
    })
    const { transcript, transcriptCaptureJobId: jobId, agentId } = reply
    if (jobId !== undefined) return await waitFor(call, { jobId, agentId })
    if (transcript === 'empty') return { kind: 'imported' }
    return { kind: 'failed', reason: reply.bypassed ? 'the session is bypassed' : reasons[transcript] }
  } catch (error) {
    // Another session may still be taken.
    if (
      error instanceof ClientError &&
      (error.status === 400 || error.status === 409 || error.status === 413)
    )
      return { kind: 'failed', reason: error.message }
    throw error
  }
}

const reasons = {
  queued: 'it was not taken',
  none: 'it was not taken',
  empty: 'nobody said anything',
  missing: 'the daemon does not find the file: it may run on another machine',
  frozen: 'writes are frozen',
}

async function isLive(call: CallDaemon, key: string): Promise<boolean> {
  try {
    const { runtimePath } = await call('GET /api/sessions/:key', { params: { key } })
    return runtimePath !== null
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return false
    throw error
  }
}

async function waitFor(
  call: CallDaemon,
  { jobId, agentId }: { jobId: string; agentId: string | undefined },
): Promise<SessionOutcome> {
  const { status, error } = await askUntil(
    () => call('GET /api/hooks/transcript-capture/:jobId', { params: { jobId }, query: { agentId } }),
    receipt => receipt.status === 'completed' || receipt.status === 'failed',
  )
  return status === 'completed' ? { kind: 'imported' } : { kind: 'failed', reason: error ?? 'it failed' }
}
