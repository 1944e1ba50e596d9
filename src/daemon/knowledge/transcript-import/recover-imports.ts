import { newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importJob } from './job.js'

/** Marks imports as interrupted after a kill; their worker continues them. */
export async function recoverImports({
  store,
  clock,
  newId,
}: Pick<Daemon, 'store' | 'clock' | 'newId'>): Promise<void> {
  for (const { id } of await store.tables.imports.open()) {
    const updated_at = clock().toISOString()
    await store.transaction(async ({ imports, jobs }) => {
      await imports.move(id, ['active'], {
        state: 'interrupted',
        error: 'the daemon ended while it was at work; it goes on by itself',
        updated_at,
      })
      // If the clock was set back, the earlier job would not be due for a long time.
      await jobs.completeFor(importJob.kind, id, updated_at)
      await jobs.enqueue(newJob({ newId }, importJob, id), updated_at)
    })
  }
}
