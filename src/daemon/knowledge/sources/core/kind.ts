import type { z } from 'zod'
import type { SourceHealth, SourceKindName } from '../../../../contract/knowledge/sources/source-record.js'
import type { KnownArtifact } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Mark } from '../../../ground/extraction/extraction.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'

/** Kinds stand above what works with them: `kinds.ts` hands them over once a daemon. */
const known = keptByDaemon<readonly SourceKind<unknown>[]>()

/** What a kind works with. */
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

/** A registered source as its kind sees it. */
export interface Source<Settings> {
  id: string
  agentId: string
  name: string
  root: string
  settings: Settings
}

/** A text that is cut into chunks. */
export interface SearchedText {
  text: string
  marks?: readonly Mark[] | undefined
  /** No Markdown. */
  plain?: boolean
}

/** One artifact as it was read. */
export interface ReadArtifact {
  /** Its address inside the source. */
  path: string
  /** `note`, `canvas`, `issue`, `message`, ... */
  kind: string
  title: string | null
  /** Markdown; blank for what only has a title. */
  text: string
  /** Pages or sheets of the original, in the order of their places in the text. */
  marks?: readonly Mark[]
  /** What is cut into chunks and searched instead of the text: of data, what it says in words. */
  searched?: SearchedText
  /** Aliases, tags, labels: searched, and not in the text. */
  names?: readonly string[]
  url?: string
  author?: string
  /** When it was changed in its source, ISO 8601. */
  updatedAt: string | null
  /** By which the kind knows next time that it is unchanged; never empty. */
  fingerprint: string
  /** Where it stood until now, as far as the kind can tell: where it says the same, its vectors come along. */
  movedFrom?: string
  links?: readonly { to: string; text?: string; toPath?: string }[]
  /** Stands on this machine alone: snapshots leave it out. */
  isLocalOnly?: boolean
}

export type SourceEvent =
  | { event: 'artifact'; artifact: ReadArtifact }
  /** Still there and unchanged. */
  | { event: 'same'; path: string }
  /** So many more were looked at that need no event of their own. */
  | { event: 'scanned'; count: number }
  /** How many there are to look at in this pass. */
  | { event: 'total'; count: number }
  /** This one is gone, for certain. */
  | { event: 'removed'; path: string }
  /**
   * All paths below the prefix were told (`artifact` or `same`) in this pass, or since the one that is named: the others
   * are gone.
   */
  | { event: 'listed'; prefix: string; fromPass?: number }
  /** Something could not be read; its rows stay. Guidance says what a person can do where something is denied. */
  | { event: 'fault'; path: string; message: string; isRecoverable: boolean; guidance?: string }
  /** How far something is read; null when it is not read any more. */
  | { event: 'checkpoint'; key: string; value: string | null; isPartial?: boolean }
  | { event: 'status'; message: string }
  /** Not all of the source can be seen now: nothing is taken for gone. */
  | { event: 'partial' }
  /** A pass that is interrupted goes on here. */
  | { event: 'frontier'; path: string }
  /** The pass stops here and goes on at the frontier, by itself unless the reason is `requested`. */
  | { event: 'pause'; reason: string; frontier: string | null; retryAfterMs?: number }
  /** The pass goes on, and its job fails at its end: what was read stays. */
  | { event: 'failed'; message: string }
  /** While following: something changed that only another pass can tell. */
  | { event: 'rescan' }

/** One reading of a source. */
export interface Pass {
  signal: AbortSignal
  /** What looks unchanged is read too. */
  full: boolean
  /** Where a paused or interrupted pass goes on; null at the beginning. */
  frontier: string | null
  /** Its number: artifacts that it told of have it. */
  number: number
  known(path: string): Promise<KnownArtifact | undefined>
  /** Known artifacts in the order of their paths, a page at a time, to a path, or below a prefix. */
  knownAfter(page: {
    after: string
    limit: number
    before?: string
    prefix?: string
  }): Promise<KnownArtifact[]>
  checkpoint(key: string): Promise<string | undefined>
  /** The value behind a reference. @throws AppError where there is none */
  secret(reference: string): Promise<string>
}

/** What only a kind can say of the health of a source. */
export interface KindHealth {
  /** Makes it worse than what the rows say, never better. */
  status?: SourceHealth['status']
  /** Plain sentences. */
  notes?: string[]
  /** Denied beside what the faults say. */
  issues?: SourceHealth['permission']['issues']
  importExtraction?: SourceHealth['importExtraction']
}

/** A kind of sources (sources.md). One folder each; `kinds.ts` lists them. */
export interface SourceKind<Settings> {
  kind: SourceKindName
  settings: z.ZodType<Settings>
  /** What makes two registrations the same source. */
  identityOf(settings: Settings): string
  describe(settings: Settings): { name: string; root: string; excludeGlobs?: readonly string[] }
  /** One pass over what is there now. Events are applied in batches, each batch one transaction with its checkpoints. */
  read(deps: KindDeps, source: Source<Settings>, pass: Pass): AsyncIterable<SourceEvent>
  /** Stays open after a pass and tells of changes, until the signal ends it. */
  follow?(deps: KindDeps, source: Source<Settings>, pass: Pass): AsyncIterable<SourceEvent>
  /** Whether following is part of the job: it stays `running`, and keeps the daemon alive. */
  keepsJobOpen?(settings: Settings): boolean
  /** A pass is begun at the start of the daemon, and so often while it lives. */
  reconcileEveryMs?: number
  /** Where a link leads, among all paths of the source. */
  resolveLinks?(paths: readonly string[]): (from: string, target: string) => string | undefined
  /** What is searched of an artifact that comes out of a snapshot, where that is not its text. */
  searchedOf?(deps: KindDeps, artifact: { kind: string; text: string }): Promise<SearchedText | undefined>
  health?(deps: KindDeps, source: Source<Settings>): Promise<KindHealth>
  /** In the transaction of the tombstone. */
  onBury?(deps: KindDeps, tables: Tables, source: Source<Settings>): Promise<void>
  /** Cleans up what the kind keeps elsewhere; what throws is tried again. */
  cleanUp?(deps: KindDeps, source: Source<Settings>): Promise<void>
}

/** A pass that cannot go on: the job fails with this sentence, which people read. */
export class SourceFailure extends Error {
  override name = 'SourceFailure'
}

export function knowKinds(daemon: Pick<Daemon, 'store'>, kinds: readonly SourceKind<unknown>[]): void {
  known.keep(daemon, kinds)
}

export function kindsOf(daemon: Pick<Daemon, 'store'>): readonly SourceKind<unknown>[] {
  return known.ifKept(daemon) ?? []
}

/** The kind of a registered source; undefined for one that this release cannot read. */
export function kindOf(deps: Pick<Daemon, 'store'>, name: string): SourceKind<unknown> | undefined {
  return kindsOf(deps).find(({ kind }) => kind === name)
}
