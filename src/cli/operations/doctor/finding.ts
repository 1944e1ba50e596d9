import type { FoundDaemon } from '../../../client/daemon/find-daemon.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'

/** `warning` and `error` need something done, `info` is worth knowing, `ok` is fine. */
export type Severity = 'ok' | 'info' | 'warning' | 'error'

/** What a check saw. */
export interface Outcome {
  severity: Severity
  evidence: string
  /** What to do about it, a command where there is one. */
  fix?: string
  /** Does it, where that is safe: nothing a person wrote is touched. Absent otherwise. */
  repair?: () => Promise<void>
}

/** The result of one check, as `doctor --json` prints it. */
export interface Finding {
  id: string
  severity: Severity
  evidence: string
  fix?: string
  /** `doctor --fix` can do it. */
  fixable: boolean
  /** `doctor --fix` has done it; severity and evidence are those after it. */
  fixed: boolean
}

/** What the checks may look at; tests hand in fakes. */
export interface DoctorContext {
  paths: WorkspacePaths
  /** Version of this CLI. */
  version: string
  /** Of Node, with its leading `v`. */
  nodeVersion: string
  platform: NodeJS.Platform
  /** SERVICE_DAEMON_URL: the workspace here is not the one that is asked. */
  remote: string | undefined
  /** Checks of the harnesses that are connected. */
  harnesses: readonly LocalCheck[]
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Free bytes of the file system that a folder is on. */
  freeBytes: (folder: string) => Promise<number>
  /** Looks for a daemon without starting one. @throws ClientError `foreign_process`. */
  findDaemon: () => Promise<FoundDaemon | undefined>
  /** Calls an endpoint; starts the daemon when needed. @throws ClientError. */
  call: <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
}

export type DaemonStatus = Reply<'GET /api/status'>

/** A check of this machine and its files. */
export interface LocalCheck {
  id: string
  run: (context: DoctorContext) => Promise<Outcome>
}

/** A check that asks a daemon that answers. */
export interface DaemonCheck {
  id: string
  run: (context: DoctorContext, status: DaemonStatus) => Promise<Outcome>
}
