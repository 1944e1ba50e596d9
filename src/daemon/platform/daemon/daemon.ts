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

/** What every use case works with; built once by process/context.ts. Use cases take the part they touch. */
export interface Daemon extends Ground {
  version: string
  startedAt: Date
  /** True when the last daemon of this workspace crashed or was killed. */
  afterCrash: boolean
  /** What was said in sessions, by words. */
  transcriptIndex: TranscriptIndex
  /** What was read of sources, by words and vectors. */
  artifactIndex: ArtifactIndex
  /** What writes conversations and their records, or takes them away: a file has one writer. */
  capturing: OneAtATime
  /** What was asked since the start. */
  requestCounts: RequestCounts
  /** How each kind of job does, by its name. */
  jobReports(): ReadonlyMap<string, JobReport>
  /** Whether jobs are done: from when the index is loaded until it stops. */
  isAtWork(): boolean
  /** It takes no new requests and ends once those in hand are answered. */
  isStopping(): boolean
  auth: Auth
  /** Bitwarden and 1Password, where somebody connected them. */
  passwordManagers: PasswordManagers
  /** What plugins may do, and what happened to them. */
  plugins: Plugins
  /** Requests of MCP that are being handled, by the agent that each is for. */
  mcpRequests: InFlight<{ agentId: string }>
  /** Calls the daemon's own API with somebody's rights, without a socket. */
  askAs(client: SelfClient): AskSelf
  /** Where it listens. */
  address(): ListenAddress
  /** Ends the daemon after its work in hand. */
  stop(why: string): void
  /** Signs what this process hands out and takes back (confirm tokens); new at each start. */
  signingKey: Buffer
}
