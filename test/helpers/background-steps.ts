import { embedJob } from '../../src/daemon/ground/embedding/embed-now.js'
import { sweep } from '../../src/daemon/operations/retention/sweep.js'
import { releaseStaleLeases, requeueDeadJobs } from '../../src/daemon/platform/jobs/leases.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'

/** Runs each background step once. */
export async function runBackgroundSteps({ daemon }: TestDaemon): Promise<void> {
  await sweep(daemon)
  await releaseStaleLeases(daemon)
  await requeueDeadJobs(daemon)
  await requeueDeadJobs(daemon, embedJob.kind)
  daemon.wake(embedJob)
  await until(async () => (await daemon.store.tables.jobs.nextDue(embedJob.kind)) === undefined || undefined)
}
