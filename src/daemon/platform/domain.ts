/**
 * The platform: the machinery around use cases, the same for every area.
 *
 * - `http/` validates a request, calls its use case and answers; `auth/` and `credentials/` say who is
 *   calling.
 * - `jobs/` runs work in the background; `plugins/` decides what plugins may do; `processes/` runs other
 *   programs.
 * - `daemon/` has the type `Daemon`, which use cases get; `mcp/` serves MCP over HTTP.
 *
 * Requests come in from sockets and replies go out there. It knows no memory, session or source: the areas
 * above describe themselves as a `Domain` (below), and `process/domains.ts` hands their routes and workers
 * to it.
 */

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
