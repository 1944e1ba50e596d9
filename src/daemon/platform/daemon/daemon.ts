import { AppError } from '../../../contract/ground/errors.js'
import type { InFlight } from '../../../lib/concurrency/in-flight.js'
import type { OneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Ground } from '../../ground/ground.js'
import type { ArtifactIndex } from '../../ground/index/indexes.js'
import type { TranscriptIndex } from '../../ground/index/transcript-entries.js'
import type { PasswordManagers } from '../../ground/secrets/password-vaults.js'
import type { Auth } from '../auth/auth.js'
import type { RequestCounts } from '../counts/request-counts.js'
import type { JobReport } from '../jobs/job-meter.js'
import type { Plugins } from '../plugins/plugins.js'
import type { AskSelf, SelfClient } from './ask-self.js'

export interface ListenAddress {
  host: string
  port: number
}

/**
 * The dependencies of all use cases, built once by process/context.ts. Use cases take only the parts they
 * need.
 */
export interface Daemon extends Ground {
  version: string
  startedAt: Date
  /** True when the last daemon of this workspace crashed or was killed. */
  afterCrash: boolean
  /** Keyword index of conversations. */
  transcriptIndex: TranscriptIndex
  /** Keyword and vector index of sources. */
  artifactIndex: ArtifactIndex
  /** Serialises writing and removing of conversation records: a file has one writer. */
  capturing: OneAtATime
  /** Requests counted since the start. */
  requestCounts: RequestCounts
  /** Reports of job kinds, by name. */
  jobReports(): ReadonlyMap<string, JobReport>
  /** True while jobs run: from when the index is loaded until the stop. */
  isAtWork(): boolean
  /** True once it accepts no new requests and only finishes running ones. */
  isStopping(): boolean
  auth: Auth
  /** Bitwarden and 1Password, if connected. */
  passwordManagers: PasswordManagers
  /** Permissions and audit log of plugins. */
  plugins: Plugins
  /** MCP requests in progress, with their agent. */
  mcpRequests: InFlight<{ agentId: string }>
  /** Calls the daemon's own API with a client's rights, without a socket. */
  askAs(client: SelfClient): AskSelf
  address(): ListenAddress
  /** Stops the daemon after its running work. */
  stop(why: string): void
  /** Signs confirm tokens: of this process, or of all daemons of a team. */
  signingKey: Buffer
}

/** A process may run several daemons; each has one store. */
type OfDaemon = Pick<Daemon, 'store'>

/** In-memory state of a domain, one per daemon, for the daemon's lifetime. */
export interface DaemonState<T> {
  /** @returns the given state */
  keep(daemon: OfDaemon, kept: T): T
  /** @throws AppError `starting` before it exists */
  of(daemon: OfDaemon): T
  /** Undefined before it exists. */
  ifKept(daemon: OfDaemon): T | undefined
  /** Creates it if it does not exist. */
  ofOrMade(daemon: OfDaemon, make: () => T): T
}

/** Creates a holder for a domain's state; the domain's worker fills it when a daemon starts. */
export function createDaemonState<T>(): DaemonState<T> {
  const all = new WeakMap<Daemon['store'], T>()
  const keep = ({ store }: OfDaemon, kept: T): T => {
    all.set(store, kept)
    return kept
  }
  return {
    keep,
    of: ({ store }) => {
      const kept = all.get(store)
      if (!kept) throw new AppError('starting', 'the daemon is still starting; try again shortly')
      return kept
    },
    ifKept: ({ store }) => all.get(store),
    ofOrMade: (daemon, make) => all.get(daemon.store) ?? keep(daemon, make()),
  }
}
