import { dayMs } from '../../../../lib/time/time.js'
import type { SourceEvent } from '../core/kind.js'
import { secondsBefore } from './list.js'
import type { GithubPass } from './reading.js'

/** A complete listing in progress; paused or killed passes continue it. */
export interface OpenListing {
  /** The first pass of the listing: artifacts not seen since then are removed at its end. */
  pass: number
  /** Start time of the next page. */
  since?: string
  /** Cursor of the next page, for resources that use cursors. */
  cursor?: string
  /** True if an item was left out or unreadable: unlisted artifacts may still exist. */
  isIncomplete?: boolean
}

/** The progress of a resource's listing, stored as its checkpoint. */
export interface Progress {
  /** The filter; after a change of it everything is listed again. */
  selection: string
  /** Everything changed before this time, by GitHub's clock, has been read. */
  since: string | null
  /** Time of the last complete listing, by the local clock; null before the first one. */
  listedAt: string | null
  /** The pass in which that listing ended. */
  listedIn?: number
  listing?: OpenListing
  /** The tag of the last reply, and a digest of the request and token it belongs to. */
  etag?: { tag: string; of: string }
}

export interface ListingStart {
  key: string
  before: Progress
  /** Set if everything is listed and missing artifacts are removed; otherwise only changes are read. */
  listing: OpenListing | undefined
  /** Only changes since this time are requested; undefined from the beginning. */
  from: string | undefined
}

/** Deletions only show in complete listings, so one a day finds them. */
const completeEveryMs = dayMs
/** Changes become visible some seconds after their timestamp. */
const overlapSeconds = 120

/** Decides how a listing starts: from the beginning, where it was interrupted, or with changes only. */
export async function listingStartOf(
  reading: Pick<GithubPass, 'pass' | 'now'>,
  { key, selection }: { key: string; selection: string },
): Promise<ListingStart> {
  const stored = parseProgress(await reading.pass.checkpoint(key))
  const before = stored?.selection === selection ? stored : { selection, since: null, listedAt: null }
  if (before.listing) return { key, before, listing: before.listing, from: before.listing.since }
  if (isDue(reading, before)) return { key, before, listing: { pass: reading.pass.number }, from: undefined }
  const from = before.since === null ? undefined : secondsBefore(before.since, overlapSeconds)
  return { key, before, listing: undefined, from }
}

function isDue({ now, pass }: Pick<GithubPass, 'now' | 'pass'>, { listedAt, listedIn }: Progress): boolean {
  if (listedAt === null) return true
  // A full pass that was paused or killed continues with the rest.
  if (pass.full && listedIn !== pass.number) return true
  const age = now().getTime() - Date.parse(listedAt)
  // After the clock was set back, the last listing lies in the future.
  return age >= completeEveryMs || age < 0
}

/** Makes the checkpoint within a complete listing, where the next pass continues. */
export function openCheckpoint(
  { key, before }: ListingStart,
  since: string | null,
  listing: OpenListing,
): SourceEvent {
  const value: Progress = { ...before, since, listing }
  return { event: 'checkpoint', key, value: JSON.stringify(value), isPartial: true }
}

/** Makes the checkpoint after a completed listing. */
export function finishedCheckpoint(
  { now, pass }: Pick<GithubPass, 'now' | 'pass'>,
  { key, before, listing }: ListingStart,
  { since, etag }: { since: string | null; etag: Progress['etag'] },
): SourceEvent {
  const { selection, listedAt, listedIn } = before
  const listed = listing
    ? { listedAt: now().toISOString(), listedIn: pass.number }
    : { listedAt, ...(listedIn !== undefined && { listedIn }) }
  const value: Progress = { selection, since, ...listed, ...(etag && { etag }) }
  return { event: 'checkpoint', key, value: JSON.stringify(value) }
}

/** Returns the later of two GitHub times, but never one ahead of GitHub's clock. */
export function laterTime(one: string | null, other: string, at: number): string {
  const seen = secondsBefore(other, 0)
  const clock = secondsBefore(new Date(at).toISOString(), 0)
  const time = seen < clock ? seen : clock
  return one !== null && one > time ? one : time
}

function parseProgress(value: string | undefined): Progress | undefined {
  try {
    return value === undefined ? undefined : (JSON.parse(value) as Progress)
  } catch {
    return undefined
  }
}
