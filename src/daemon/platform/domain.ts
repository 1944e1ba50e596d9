/**
 * The platform: the machinery around use cases, the same for every area.
 *
 * - `http/` validates a request, calls its use case and answers; `auth/` and `credentials/` identify the
 *   caller.
 * - `jobs/` runs work in the background; `plugins/` decides what plugins may do; `processes/` runs other
 *   programs.
 * - `daemon/` has the type `Daemon`, which use cases get; `mcp/` serves MCP over HTTP.
 *
 * Requests come in from sockets, and replies go out there. It knows no memory, session or source: the areas
 * describe themselves as a `Domain` (below), and `process/domains.ts` passes their routes and workers to it.
 */

import type { JobKind } from '../ground/jobs/job-kind.js'
import type { Daemon } from './daemon/daemon.js'
import type { Route } from './http/bind.js'
import type { Worker } from './jobs/worker.js'

/** One domain of an area: its routes and its background work. `process/domains.ts` lists all domains. */
export interface Domain {
  routes?: readonly Route[]
  /** Kinds of jobs it queues; each has one worker, here or in another domain. */
  jobs?: readonly JobKind[]
  /** Created once per daemon, after its database is open. */
  workers?: readonly ((daemon: Daemon) => Worker)[]
  /** Finishes work that a kill interrupted, before the index is loaded. */
  recover?(daemon: Daemon): Promise<void>
  /** The same for rows that any daemon may have left: not called while others share the database. */
  recoverRows?(daemon: Daemon): Promise<void>
  /** The same for rows whose daemon is known (`nodes.otherHolder`): called when others are gone, too. */
  recoverHeld?(daemon: Daemon): Promise<void>
}
