import type { InFlight } from '../../../lib/concurrency/in-flight.js'
import type { OneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Ground } from '../../ground/ground.js'
import type { ArtifactIndex } from '../../ground/index/artifact-index.js'
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
