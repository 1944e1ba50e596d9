import type { FoundDaemon } from '../../../client/daemon/find-daemon.js'
import { ClientError } from '../../../client/http/client-error.js'
import type { Address, Reply, Request } from '../../../contract/api.js'
import type { NetworkDisk } from '../../../lib/files/network-disk.js'
import type { UserVariables } from '../../../lib/files/own-umask.js'
import type { DriverProblem } from '../../../lib/workspace/driver-fault.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'

/** `warning` and `error` need action, `info` is worth knowing. */
export type Severity = 'ok' | 'info' | 'warning' | 'error'

/** Result of a check. */
export interface Outcome {
  severity: Severity
  evidence: string
  /** Remedy, preferably a command. */
  fix?: string
  /** Applies a safe remedy, which never changes what a person wrote. Absent if there is none. */
  repair?: () => Promise<void>
}

/** Result of one check in the output of `doctor --json`. */
export interface Finding {
  id: string
  /** The heading under which it is shown. */
  group: string
  severity: Severity
  evidence: string
  fix?: string
  /** True if `doctor --fix` can repair it. */
  fixable: boolean
  /** True if `doctor --fix` has repaired it; severity and evidence describe the state afterwards. */
  fixed: boolean
}

/** Inputs of the checks; tests pass fakes. */
export interface DoctorContext {
  paths: WorkspacePaths
  /** Version of this CLI. */
  version: string
  /** Version of Node, with its leading `v`. */
  nodeVersion: string
  platform: NodeJS.Platform
  /** Loads the database driver as a daemon would. @returns a description of it, or why none loads. */
  driver: () => Promise<string | DriverProblem>
  /** Variables of Windows that name its user. */
  user: UserVariables
  /** Returns the kind of network disk that a folder is on. */
  networkDisk: (folder: string) => Promise<NetworkDisk | undefined>
  /** SERVICE_DAEMON_URL; if set, the local workspace is not the one in use. */
  remote: string | undefined
  /** Checks of the connected harnesses. */
  harnesses: readonly LocalCheck[]
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Returns the free bytes of a folder's file system. */
  freeBytes: (folder: string) => Promise<number>
  /** Finds a daemon without starting one. @throws ClientError `foreign_process`. */
  findDaemon: () => Promise<FoundDaemon | undefined>
  /** Calls an endpoint; starts the daemon if needed. @throws ClientError. */
  call: <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
}

export type DaemonStatus = Reply<'GET /api/status'>

/** A check of this machine and its files. */
export interface LocalCheck {
  id: string
  run: (context: DoctorContext) => Promise<Outcome>
}

/** A check that needs a running daemon. */
export interface DaemonCheck {
  id: string
  run: (context: DoctorContext, status: DaemonStatus) => Promise<Outcome>
}

/**
 * Judges the answer to a request about secrets, or reports that the request was denied. Secrets answer admins
 * only, and only while their plugin is enabled.
 * @throws ClientError of any other kind.
 */
export async function ifAllowed<T>(asked: Promise<T>, judge: (answer: T) => Outcome): Promise<Outcome> {
  try {
    return judge(await asked)
  } catch (error) {
    if (!(error instanceof ClientError && [403, 404].includes(error.status))) throw error
    return { severity: 'info', evidence: 'not checked: needs an admin credential and the enabled plugin' }
  }
}
