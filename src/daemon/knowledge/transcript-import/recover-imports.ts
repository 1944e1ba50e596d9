import { newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importJob } from './job.js'

/** Imports that a kill broke off are interrupted: their worker goes on with them. */
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
      // Where the clock went back the job of before would wait until it is there again.
      await jobs.completeFor(importJob.kind, id, updated_at)
      await jobs.enqueue(newJob({ newId }, importJob, id), updated_at)
    })
  }
}
