import { dayMs } from '../../../../lib/time/time.js'

/** A segment by its place and contents. */
export interface SegmentPlace {
  device: string
  number: number
  hash: string
}

/** The whole state of a store at one time, written by one device. */
export interface Checkpoint {
  device: string
  /** Milliseconds. */
  at: number
  /** Segments of the store that it contains, and the last one of each device. */
  covers: readonly SegmentPlace[]
  /** True when it is the first after a purge: all before it may have the text. */
  afterPurge: boolean
  bytes: number
}

/** The list of a checkpoint in the store. */
export interface StoredCheckpoint extends Checkpoint {
  name: string
  hash: string
  parts: readonly CheckpointPart[]
}

export interface CheckpointPart {
  hash: string
  bytes: number
}

export interface StoredAcknowledgement extends Acknowledgement {
  name: string
}

/** Lists and acknowledgements that were read before, by name. */
export type NoteCache = Map<string, StoredCheckpoint | StoredAcknowledgement>

/** A segment with purges, and when this device met it. */
export interface PurgeSegment extends SegmentPlace {
  at: number
}

/** The segments of the store that a device has read. */
export interface Acknowledgement {
  device: string
  at: number
  /** Beginnings of the hashes. */
  read: ReadonlySet<string>
}

/** Segments that a device knows: by hash, and the first and last number of each device. */
export interface KnownPlaces {
  hashes: ReadonlySet<string>
  first: ReadonlyMap<string, number>
  last: ReadonlyMap<string, number>
}

/** How long a segment stays that a checkpoint contains, and how soon a silent device no longer counts. */
export const graceMs = 30 * dayMs
/** A device with more to read than this begins with the checkpoint. */
const mostToRead = 200
/** Segments that no checkpoint contains, before the next one is written. */
const mostUncovered = 1000
const leastBytes = 16 * 1024 * 1024
/** Purges of an hour share one checkpoint. */
const betweenPurgesMs = 3_600_000
const hashChars = 16

/** The beginning of a hash, as acknowledgements have it. */
export function shortHash(hash: string): string {
  return hash.slice(0, hashChars)
}

export function knownPlaces(known: readonly SegmentPlace[]): KnownPlaces {
  const [first, last] = [new Map<string, number>(), new Map<string, number>()]
  for (const { device, number } of known) {
    first.set(device, Math.min(number, first.get(device) ?? number))
    last.set(device, Math.max(number, last.get(device) ?? 0))
  }
  return { hashes: new Set(known.map(({ hash }) => hash)), first, last }
}

/** True for a segment that was read, or is older than all that is still known of its device. */
export function isRead({ hashes, first }: KnownPlaces, { device, number, hash }: SegmentPlace): boolean {
  return hashes.has(hash) || number < (first.get(device) ?? 0)
}

/** True when a device needs a checkpoint: it lacks segments that are gone, or very many. */
export function needsCheckpoint(
  { covers }: Pick<Checkpoint, 'covers'>,
  known: KnownPlaces,
  present: ReadonlySet<string>,
): boolean {
  const unread = covers.filter(place => !isRead(known, place))
  if (unread.length > mostToRead || unread.some(({ hash }) => !present.has(hash))) return true
  const { first } = knownPlaces(covers)
  return [...first].some(([device, number]) => number > (known.last.get(device) ?? 0) + 1)
}

/** The store as one device sees it. */
export interface StoreView {
  now: number
  /** Tag of this device, and those that it had before. */
  own: string
  earlier: readonly string[]
  /** Tags that belong now, and those that never do again. */
  members: readonly string[]
  revoked: ReadonlySet<string>
  known: KnownPlaces
  segments: readonly SegmentPlace[]
  segmentBytes: number
  /** Segments with purges that no checkpoint contains. */
  purges: readonly PurgeSegment[]
  /** Whole ones of members, the newest first. */
  checkpoints: readonly Checkpoint[]
  acknowledgements: readonly Acknowledgement[]
}

/** Acknowledgements of other devices that count: members that were there within 30 days. */
function livingOthers(view: StoreView): Acknowledgement[] {
  const { now, own, earlier, members } = view
  return [...lastOfEach(view).values()].filter(
    ({ device, at }) =>
      members.includes(device) && device !== own && !earlier.includes(device) && now - at < graceMs,
  )
}

function lastOfEach({ acknowledgements }: StoreView): Map<string, Acknowledgement> {
  const last = new Map<string, Acknowledgement>()
  for (const one of acknowledgements) if (one.at >= (last.get(one.device)?.at ?? 0)) last.set(one.device, one)
  return last
}

/** Returns a check for devices that tend no files: revoked, silent, or earlier tags of this one. */
export function goneFrom(view: StoreView): (device: string) => boolean {
  const { now, own, earlier, revoked } = view
  const last = lastOfEach(view)
  // One that never acknowledged was last seen when its segments were contained for the first time.
  const seen = new Map(
    view.checkpoints.flatMap(({ covers, at }) => covers.map(({ device }) => [device, at] as const)),
  )
  const isSilent = (device: string): boolean =>
    now - (last.get(device)?.at ?? seen.get(device) ?? now) >= graceMs
  return device => device !== own && (earlier.includes(device) || revoked.has(device) || isSilent(device))
}

export interface Garbage {
  segments: SegmentPlace[]
  /** True when the last segment of this device should go too: another one must follow it first. */
  withLast: boolean
}

/**
 * Returns segments that a checkpoint contains and all living devices have read: at once after a purge,
 * otherwise when the checkpoint is 30 days old. Each device deletes its own, in order; those of devices that
 * are gone are deleted by any.
 */
export function garbageOf(view: StoreView): Garbage {
  const covered = new Set(
    view.checkpoints
      .filter(({ at, afterPurge }) => afterPurge || view.now - at >= graceMs)
      .flatMap(({ covers }) => covers.map(({ hash }) => hash)),
  )
  const living = livingOthers(view)
  const canGo = ({ device, hash }: SegmentPlace): boolean =>
    covered.has(hash) &&
    view.known.hashes.has(hash) &&
    living.every(one => one.device === device || one.read.has(shortHash(hash)))
  const isGone = goneFrom(view)
  // Older than all that is known of its device: deleted before, and still or again in the store.
  const isOld = ({ device, number }: SegmentPlace): boolean => number < (view.known.first.get(device) ?? 0)
  const own = view.segments.filter(({ device }) => device === view.own).sort((a, b) => a.number - b.number)
  const stays = own.findIndex(place => !isOld(place) && !canGo(place))
  const going = stays < 0 ? own : own.slice(0, stays)
  const last = view.known.last.get(view.own)
  const orphans = view.segments.filter(place => isGone(place.device) && (isOld(place) || canGo(place)))
  return {
    segments: [...going.filter(({ number }) => number !== last), ...orphans],
    withLast: going.some(({ number }) => number === last),
  }
}

/**
 * True for a checkpoint that a newer one makes superfluous. Two that were written at once may both
 * lack something of the other: they stay until a third one contains both.
 */
export function isReplaced(
  { at, covers }: Pick<Checkpoint, 'at' | 'covers'>,
  { checkpoints, now }: Pick<StoreView, 'checkpoints' | 'now'>,
): boolean {
  return checkpoints.some(one => {
    if (one.at <= at || !(one.afterPurge || now - one.at >= graceMs)) return false
    const contained = knownPlaces(one.covers)
    return covers.every(place => isRead(contained, place))
  })
}

/** True when the newest checkpoint lacks something of another one: two were written at once. */
export function needUnion([newest, ...others]: readonly Checkpoint[]): boolean {
  if (!newest) return false
  const contained = knownPlaces(newest.covers)
  return others.some(({ covers }) => covers.some(place => !isRead(contained, place)))
}

/** True when this device should write a checkpoint. The first living device does it before the others. */
export function isCheckpointDue(view: StoreView): boolean {
  const { checkpoints, known } = view
  // It must contain all that earlier ones do.
  if (checkpoints.some(({ covers }) => covers.some(place => !isRead(known, place)))) return false
  const [newest] = checkpoints
  const tags = [view.own, ...livingOthers(view).map(({ device }) => device)].sort()
  const rank = tags.indexOf(view.own)
  if (isPurgeDue(view, rank)) return true
  const waitMs = betweenPurgesMs * (1 + rank)
  if (newest && needUnion(checkpoints) && view.now - newest.at >= waitMs) return true
  const covers = checkpoints.flatMap(one => one.covers)
  const { last } = knownPlaces(covers)
  // Segments are gone that no checkpoint contains any more.
  for (const [device, first] of known.first) if (first - 1 > (last.get(device) ?? 0)) return true
  const covered = new Set(covers.map(({ hash }) => hash))
  const uncovered = view.segments.filter(({ hash }) => !covered.has(hash) && known.hashes.has(hash))
  const patience = 1 + rank
  const bytes = (view.segmentBytes * uncovered.length) / Math.max(1, view.segments.length)
  return (
    uncovered.length >= mostUncovered * patience ||
    (newest !== undefined && bytes >= Math.max(leastBytes, 4 * newest.bytes) * patience)
  )
}

/** Returns those of the segments that no checkpoint contains. */
export function inNoCheckpoint<T extends SegmentPlace>(
  places: readonly T[],
  checkpoints: readonly Pick<Checkpoint, 'covers'>[],
): T[] {
  const contained = checkpoints.map(({ covers }) => knownPlaces(covers))
  return places.filter(place => !contained.some(one => isRead(one, place)))
}

/** The device that purged writes a checkpoint at once; another one after an hour, the next after two. */
function isPurgeDue({ purges, checkpoints, now, own }: StoreView, rank: number): boolean {
  const [newest] = checkpoints
  if (newest?.afterPurge && now - newest.at < betweenPurgesMs) return false
  return purges.some(({ device, at }) => device === own || now - at >= betweenPurgesMs * (1 + rank))
}
