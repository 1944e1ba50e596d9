import { rm } from 'node:fs/promises'
import type { JobRow } from '../../store/tables/jobs.js'
import type { Daemon } from '../daemon.js'
import { isFrozen } from '../frozen.js'
import { createJobWorker, type JobWorker } from '../jobs/job-worker.js'
import { type CaptureDeps, captureTranscript } from './capture-transcript.js'
import { Uncapturable } from './open-source.js'
import { removeStaleBodies } from './remove-body.js'

export const captureJob = 'transcript-capture'
export const captureAttempts = 5

type Deps = CaptureDeps & Pick<Daemon, 'configuration'>

/**
 * Captures transcripts one after the other, oldest receipt first, behind every caller; a start goes on with what a
 * stop or a crash left. It waits while mutations are frozen.
 */
export function createCaptureWorker(deps: Deps): JobWorker {
  return createJobWorker(deps, {
    kind: captureJob,
    batchSize: 1,
    ready: async () => {
      if (isFrozen(deps)) return false
      await removeStaleBodies(deps)
      return true
    },
    run: async jobs => {
      for (const job of jobs) await runCapture(deps, job)
    },
  })
}

/** @throws what another attempt may overcome; after the last one the receipt says why it failed. */
async function runCapture(deps: Deps, job: JobRow): Promise<void> {
  const { transcriptCaptures } = deps.store.tables
  const capture = await transcriptCaptures.find(job.memory_id)
  if (!capture) return
  if (capture.status !== 'completed') {
    await transcriptCaptures.update(capture.id, { status: 'running' })
    try {
      await captureTranscript(deps, capture)
    } catch (error) {
      const final = error instanceof Uncapturable || job.attempts >= job.max_attempts
      await transcriptCaptures.update(
        capture.id,
        final
          ? {
              status: 'failed',
              error: reasonOf(error),
              completed_at: deps.clock().toISOString(),
              stale_body_id: (await transcriptCaptures.find(capture.id))?.body_id ?? null,
            }
          : { status: 'queued', error: reasonOf(error) },
      )
      if (!(error instanceof Uncapturable)) throw error
    }
  }
  if (capture.source === 'inline') await rm(capture.path, { force: true })
}

/** What a caller may know: nothing of a path or a text. */
function reasonOf(error: unknown): string {
  if (error instanceof Uncapturable) return error.message
  const { code } = error as NodeJS.ErrnoException
  return code ? `it failed with ${code}; the log says more` : 'it failed; the log says why'
}
