import { dayMs } from '../../../../lib/time/time.js'
import type { KnownSegment } from '../../../../store/tables/operations/sync.js'
import { noteName, type StoreFiles } from '../files/store-files.js'
import {
  garbageOf,
  goneFrom,
  inNoCheckpoint,
  isCheckpointDue,
  isRead,
  isReplaced,
  knownPlaces,
  needUnion,
  type PurgeSegment,
  type SegmentPlace,
  type StoreView,
  shortHash,
} from '../rules/upkeep.js'
import type { Transport } from '../transports/transport.js'
import { writeCheckpoint } from './checkpoint.js'
import type { Notes } from './notes.js'
import type { Exchange } from './open-exchange.js'
import { readPurges, sealed, sendEmpty, writePurges } from './send.js'

/** How soon the others learn what this device has read, and how often that it is there. */
const acknowledgeEveryMs = 600_000
const showEveryMs = dayMs

/** Acknowledges what was read, writes a checkpoint when one is due, and deletes what nobody needs. */
export async function tendStore(
  exchange: Exchange,
  transport: Transport,
  files: StoreFiles,
  notes: Notes,
): Promise<StoreView> {
  const known = await exchange.deps.store.tables.sync.segments()
  const view = await viewOf(exchange, files, { ...notes, known })
  if (exchange.deps.isStopping()) return view
  await acknowledge(exchange, transport, files, view)
  if (isCheckpointDue(view)) {
    await writeCheckpoint(exchange, transport, {
      covers: coversOf(known, view),
      at: Math.max(view.now, ...notes.listed.map(one => one.at + 1)),
      afterPurge: view.purges.length > 0 || needUnion(view.checkpoints),
    })
  }
  await deleteSegments(exchange, transport, files, { view, known })
  await deleteNotes(transport, files, { view, notes })
  return view
}

async function viewOf(
  { deps, own, config, membership }: Exchange,
  files: StoreFiles,
  { checkpoints, acknowledgements, known }: Notes & { known: readonly KnownSegment[] },
): Promise<StoreView> {
  return {
    ...{ now: deps.clock().getTime(), own: own.tag, earlier: config.earlier },
    members: membership.members.map(({ tag }) => tag),
    revoked: membership.revoked,
    known: knownPlaces(known),
    purges: await prunedPurges(deps, checkpoints),
    ...{ segments: files.segments, segmentBytes: files.segmentBytes, checkpoints, acknowledgements },
  }
}

async function prunedPurges(
  { store }: Exchange['deps'],
  checkpoints: Notes['checkpoints'],
): Promise<PurgeSegment[]> {
  const all = await readPurges(store.tables)
  const open = inNoCheckpoint(all, checkpoints)
  if (open.length < all.length) await store.transaction(tables => writePurges(tables, open))
  return open
}

/** Segments of the store that this device has read or written, and the last one of each device. */
function coversOf(known: readonly KnownSegment[], { segments, known: { last } }: StoreView): SegmentPlace[] {
  const present = new Set(segments.map(({ hash }) => hash))
  return known.filter(({ device, number, hash }) => present.has(hash) || number === last.get(device))
}

async function acknowledge(
  exchange: Exchange,
  transport: Transport,
  { notes, segments }: StoreFiles,
  { now, known, checkpoints, acknowledgements, own }: StoreView,
): Promise<void> {
  const read = segments.filter(segment => isRead(known, segment)).map(({ hash }) => shortHash(hash))
  const last = acknowledgements.find(({ device }) => device === own)
  const isSame = last?.read.size === read.length && read.every(hash => last.read.has(hash))
  const [newest] = checkpoints
  const isAwaited = newest?.afterPurge === true && newest.at > (last?.at ?? 0)
  const due = isSame ? showEveryMs : acknowledgeEveryMs
  if (last && !isAwaited && now - last.at < due) return
  const at = Math.max(now, (last?.at ?? 0) + 1)
  const { bytes, hash } = sealed(exchange, { kind: 'read', number: at }, read)
  await transport.put(noteName({ store: exchange.config.store, kind: 'read', device: own, at, hash }), bytes)
  const mine = [own, ...exchange.config.earlier]
  for (const { kind, device, name } of notes)
    if (kind === 'read' && mine.includes(device)) await transport.remove(name)
}

/** The rows go first: a segment that is deleted without them would be taken for one that the store lost. */
async function deleteSegments(
  exchange: Exchange,
  transport: Transport,
  files: StoreFiles,
  { view, known }: { view: StoreView; known: readonly KnownSegment[] },
): Promise<void> {
  const { deps } = exchange
  const { segments, withLast } = garbageOf(view)
  const going = new Set(segments.map(({ hash }) => hash))
  const kept = new Set(view.checkpoints.flatMap(({ covers }) => covers.map(({ hash }) => hash)))
  for (const { hash } of files.segments) kept.add(hash)
  const rows = known
    .filter(({ device, number }) => number !== view.known.last.get(device))
    .filter(
      ({ device, hash, waits }) =>
        waits === 0 && (going.has(hash) || (device !== view.own && !kept.has(hash))),
    )
  if (rows.length > 0) {
    await deps.store.transaction(tables => tables.sync.dropSegments(rows.map(({ hash }) => hash)))
    await deps.store.sync()
  }
  for (const { hash, name } of files.segments) if (going.has(hash)) await transport.remove(name)
  if (withLast) await sendEmpty(exchange, transport)
}

/**
 * Checkpoints that a newer one replaces, parts that no list has, notes of revoked devices, and the request of
 * this one to join.
 */
async function deleteNotes(
  transport: Transport,
  files: StoreFiles,
  { view, notes }: { view: StoreView; notes: Notes },
): Promise<void> {
  const isGone = goneFrom(view)
  const isOurs = (device: string): boolean => device === view.own || isGone(device)
  const listed = new Map(notes.listed.map(one => [one.name, one]))
  const going = new Set(
    files.notes
      .filter(({ kind, device, name, at }) =>
        kind === 'read'
          ? view.revoked.has(device)
          : isOurs(device) && isReplaced({ at, covers: listed.get(name)?.covers ?? [] }, view),
      )
      .map(({ name }) => name),
  )
  const answered = [view.own, ...view.earlier].flatMap(tag => files.requests.get(tag) ?? [])
  for (const name of [...going, ...answered]) await transport.remove(name)
  const kept = files.notes.filter(({ kind, name }) => kind === 'checkpoint' && !going.has(name))
  const needed = new Set(kept.flatMap(({ name }) => listed.get(name)?.parts ?? []).map(({ hash }) => hash))
  // The parts of a list that can't be read are not known.
  const unread = new Set(kept.filter(({ name }) => !listed.has(name)).map(({ device }) => device))
  for (const [hash, { name, device }] of files.parts)
    if (isOurs(device) && !needed.has(hash) && !unread.has(device)) await transport.remove(name)
}
