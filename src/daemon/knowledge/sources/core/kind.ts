import type { z } from 'zod'
import type { SourceHealth, SourceKindName } from '../../../../contract/knowledge/sources/source-record.js'
import { isInTheClear } from '../../../../lib/network/is-loopback.js'
import type { StoredArtifact } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Mark } from '../../../ground/extraction/extraction.js'
import { createDaemonState, type Daemon } from '../../../platform/daemon/daemon.js'

/** `kinds.ts` registers the kinds once per daemon, because this file must not import them. */
const known = createDaemonState<readonly SourceKind<unknown>[]>()

/** The parts of the daemon that a kind may use. */
export type KindDeps = Pick<
  Daemon,
  | 'store'
  | 'secrets'
  | 'extractor'
  | 'configuration'
  | 'clock'
  | 'newId'
  | 'log'
  | 'budget'
  | 'paths'
  | 'environment'
  | 'version'
  | 'capturing'
  | 'transcriptIndex'
  | 'wake'
>

/** A registered source with its parsed settings. */
export interface Source<Settings> {
  id: string
  agentId: string
  name: string
  root: string
  settings: Settings
}

/** A text to be cut into chunks. */
export interface SearchedText {
  text: string
  marks?: readonly Mark[] | undefined
  /** True when the text is not Markdown. */
  plain?: boolean
}

/** One artifact as read from its source. */
export interface ReadArtifact {
  /** The artifact's address inside the source. */
  path: string
  /** `note`, `canvas`, `issue`, `message`, ... */
  kind: string
  title: string | null
  /** Markdown; blank if the artifact only has a title. */
  text: string
  /** Pages or sheets of the original, ordered by their position in the text. */
  marks?: readonly Mark[]
  /** Text that is chunked and searched instead of `text`, such as the sentences rendered from data. */
  searched?: SearchedText
  /** Aliases, tags and labels: searched, but not part of the text. */
  names?: readonly string[]
  url?: string
  author?: string
  /** Last change in the source, ISO 8601. */
  updatedAt: string | null
  /** Never empty; the next pass compares it to see whether the artifact is unchanged. */
  fingerprint: string
  /** The previous path, if the kind knows it. With equal content the vectors are copied from there. */
  movedFrom?: string
  links?: readonly { to: string; text?: string; toPath?: string }[]
  /** True if the artifact exists on this machine only; snapshots leave it out. */
  isLocalOnly?: boolean
}

export type SourceEvent =
  | { event: 'artifact'; artifact: ReadArtifact }
  /** The artifact still exists and is unchanged. */
  | { event: 'same'; path: string }
  /** Adds to the progress count for items that need no event of their own. */
  | { event: 'scanned'; count: number }
  /** Items to look at in this pass. */
  | { event: 'total'; count: number }
  /** The artifact was deleted for certain. */
  | { event: 'removed'; path: string }
  /**
   * Every path below the prefix was reported (`artifact` or `same`) in this pass, or since `fromPass`: all
   * others are deleted.
   */
  | { event: 'listed'; prefix: string; fromPass?: number }
  /** Something could not be read; its rows stay. `guidance` says what a person can do about a denial. */
  | { event: 'fault'; path: string; message: string; isRecoverable: boolean; guidance?: string }
  /** A reading position; null when this key is not read any more. */
  | { event: 'checkpoint'; key: string; value: string | null; isPartial?: boolean }
  | { event: 'status'; message: string }
  /** Only a part of the source is visible now: nothing is treated as deleted. */
  | { event: 'partial' }
  /** The path where an interrupted pass continues. */
  | { event: 'frontier'; path: string }
  /** The pass stops here and later continues at the frontier, by itself unless the reason is `requested`. */
  | { event: 'pause'; reason: string; frontier: string | null; retryAfterMs?: number }
  /** The pass continues, but its job fails at the end; artifacts already read stay. */
  | { event: 'failed'; message: string }
  /** While following: a change was seen that only a new pass can read. */
  | { event: 'rescan' }

/** One pass over a source. */
export interface Pass {
  signal: AbortSignal
  /** Reads artifacts that look unchanged, too. */
  full: boolean
  /** The path where a paused or interrupted pass continues; null at the beginning. */
  frontier: string | null
  /** The number of the pass; reported artifacts are stamped with it. */
  number: number
  known(path: string): Promise<StoredArtifact | undefined>
  /** Returns a page of known artifacts ordered by path, up to a path or below a prefix. */
  knownAfter(page: {
    after: string
    limit: number
    before?: string
    prefix?: string
  }): Promise<StoredArtifact[]>
  checkpoint(key: string): Promise<string | undefined>
  /**
   * Resolves a secret reference.
   * @throws AppError when the secret does not exist
   */
  secret(reference: string): Promise<string>
}

/** The part of a source's health that only its kind knows. */
export interface KindHealth {
  /** Can make the status worse than the rows do, never better. */
  status?: SourceHealth['status']
  /** Plain sentences. */
  notes?: string[]
  /** Denials in addition to the stored faults. */
  issues?: SourceHealth['permission']['issues']
  importExtraction?: SourceHealth['importExtraction']
}

/** A kind of source (sources.md). Each kind has its own folder; `kinds.ts` lists them. */
export interface SourceKind<Settings> {
  kind: SourceKindName
  settings: z.ZodType<Settings>
  /** Returns the string that makes two registrations the same source. */
  identityOf(settings: Settings): string
  describe(settings: Settings): { name: string; root: string; excludeGlobs?: readonly string[] }
  /**
   * Makes one pass over everything that exists now. Events are applied in batches, each in one transaction
   * with its checkpoints.
   */
  read(deps: KindDeps, source: Source<Settings>, pass: Pass): AsyncIterable<SourceEvent>
  /** Stays open after a pass and reports changes until the signal aborts. */
  follow?(deps: KindDeps, source: Source<Settings>, pass: Pass): AsyncIterable<SourceEvent>
  /** True if following belongs to the job, which then stays `running` and keeps the daemon alive. */
  keepsJobOpen?(settings: Settings): boolean
  /** A pass begins at the start of the daemon and then at this interval. */
  reconcileEveryMs?: number
  /** Returns a function that resolves a link, given all paths of the source. */
  resolveLinks?(paths: readonly string[]): (from: string, target: string) => string | undefined
  /** Returns the text to search for an artifact from a snapshot, if it differs from the artifact's text. */
  searchedOf?(deps: KindDeps, artifact: { kind: string; text: string }): Promise<SearchedText | undefined>
  health?(deps: KindDeps, source: Source<Settings>): Promise<KindHealth>
  /** Runs in the transaction that writes the tombstone. */
  onBury?(deps: KindDeps, tables: Tables, source: Source<Settings>): Promise<void>
  /** Deletes data that the kind stores elsewhere; it is retried after an error. */
  cleanUp?(deps: KindDeps, source: Source<Settings>): Promise<void>
}

/** Ends a pass that cannot continue: the job fails with this message, which people read. */
export class SourceFailure extends Error {
  override name = 'SourceFailure'
}

/**
 * Parses the address of a platform's API from the settings.
 * @param setting its key, for messages
 * @throws SourceFailure if the address contains a password, or if a token would be sent to it unencrypted
 */
export function apiRoot(baseUrl: string, { setting, hasToken }: { setting: string; hasToken: boolean }): URL {
  const base = new URL(baseUrl)
  if (base.username || base.password)
    throw new SourceFailure(`${setting} must not contain a user name or password: use tokenRef`)
  if (hasToken && isInTheClear(base))
    throw new SourceFailure(
      `${setting} must use https: the token would be sent to ${base.origin} unencrypted`,
    )
  return base
}

export function registerKinds(daemon: Pick<Daemon, 'store'>, kinds: readonly SourceKind<unknown>[]): void {
  known.keep(daemon, kinds)
}

export function kindsOf(daemon: Pick<Daemon, 'store'>): readonly SourceKind<unknown>[] {
  return known.ifKept(daemon) ?? []
}

/** Returns the kind of a registered source; undefined if this release cannot read it. */
export function kindOf(deps: Pick<Daemon, 'store'>, name: string): SourceKind<unknown> | undefined {
  return kindsOf(deps).find(({ kind }) => kind === name)
}
