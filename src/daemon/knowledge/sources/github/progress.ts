import { dayMs } from '../../../../lib/time/time.js'
import type { SourceEvent } from '../core/kind.js'
import { secondsBefore } from './list.js'
import type { Reading } from './reading.js'

/** A complete listing that has not ended; passes that were paused or killed go on with it. */
export interface OpenListing {
  /** The first pass of it: what no pass since then has seen is gone when it ends. */
  pass: number
  /** Its next page begins there. */
  since?: string
  /** The same where pages are known by a cursor. */
  cursor?: string
  /** Something was left out or could not be read: what was not told may be there all the same. */
  isIncomplete?: boolean
}

/** How far the listing of a resource has come: the value of its checkpoint. */
export interface Progress {
  /** What is listed; with other settings all of it is listed anew. */
  selection: string
  /** Everything that was changed before this time, by GitHub's clock, has been told. */
  since: string | null
  /** When all of it was last listed, by our clock; null before the first time. */
  listedAt: string | null
  /** The pass in which that listing ended. */
  listedIn?: number
  listing?: OpenListing
  /** The tag of the last reply, and the mark of the question and the token that it answered. */
  etag?: { tag: string; of: string }
}

export interface Start {
  key: string
  before: Progress
  /** All of it is listed; what is not there is gone. Without it what was changed since a time. */
  listing: OpenListing | undefined
  /** What was changed since then is asked for; undefined from the beginning. */
  from: string | undefined
}

/** What is deleted shows in complete listings alone: one a day finds it. */
const completeEveryMs = dayMs
/** Changes become visible some seconds after the time that they carry. */
const overlapSeconds = 120

/** Where a listing begins: anew, where it was cut short, or with what has changed. */
export async function startOf(
  reading: Pick<Reading, 'pass' | 'now'>,
  { key, selection }: { key: string; selection: string },
): Promise<Start> {
  const stored = parsed(await reading.pass.checkpoint(key))
  const before = stored?.selection === selection ? stored : { selection, since: null, listedAt: null }
  if (before.listing) return { key, before, listing: before.listing, from: before.listing.since }
  if (isDue(reading, before)) return { key, before, listing: { pass: reading.pass.number }, from: undefined }
  const from = before.since === null ? undefined : secondsBefore(before.since, overlapSeconds)
  return { key, before, listing: undefined, from }
}

function isDue({ now, pass }: Pick<Reading, 'now' | 'pass'>, { listedAt, listedIn }: Progress): boolean {
  if (listedAt === null) return true
  // A full pass that was paused or killed goes on behind what it has listed.
  if (pass.full && listedIn !== pass.number) return true
  const age = now().getTime() - Date.parse(listedAt)
  // A clock that was put back makes the last listing one of the future.
  return age >= completeEveryMs || age < 0
}

/** The checkpoint inside a complete listing, so that the next pass goes on there. */
export function unfinished({ key, before }: Start, since: string | null, listing: OpenListing): SourceEvent {
  const value: Progress = { ...before, since, listing }
  return { event: 'checkpoint', key, value: JSON.stringify(value), isPartial: true }
}

/** The checkpoint behind a listing that has ended. */
export function finished(
  { now, pass }: Pick<Reading, 'now' | 'pass'>,
  { key, before, listing }: Start,
  { since, etag }: { since: string | null; etag: Progress['etag'] },
): SourceEvent {
  const { selection, listedAt, listedIn } = before
  const listed = listing
    ? { listedAt: now().toISOString(), listedIn: pass.number }
    : { listedAt, ...(listedIn !== undefined && { listedIn }) }
  const value: Progress = { selection, since, ...listed, ...(etag && { etag }) }
  return { event: 'checkpoint', key, value: JSON.stringify(value) }
}

/** The later of two times of GitHub, and none that its own clock has not come to yet. */
export function latest(one: string | null, other: string, at: number): string {
  const seen = secondsBefore(other, 0)
  const clock = secondsBefore(new Date(at).toISOString(), 0)
  const time = seen < clock ? seen : clock
  return one !== null && one > time ? one : time
}

function parsed(value: string | undefined): Progress | undefined {
  try {
    return value === undefined ? undefined : (JSON.parse(value) as Progress)
  } catch {
    return undefined
  }
}
