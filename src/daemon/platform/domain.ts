import type { JobKind } from '../ground/jobs/job-kind.js'
import type { Daemon } from './daemon/daemon.js'
import type { Route } from './http/bind.js'
import type { Worker } from './jobs/worker.js'

/** One domain of an area: what it answers and what it does in the background. `process/domains.ts` lists them all. */
export interface Domain {
  routes?: readonly Route[]
  /** Kinds of jobs that it queues; each has one worker, here or in another domain. */
  jobs?: readonly JobKind[]
  /** Made once a daemon, when its database is open. */
  workers?: readonly ((daemon: Daemon) => Worker)[]
  /** Finishes what a kill left undone, before the index is filled. */
  recover?(daemon: Daemon): Promise<void>
}
