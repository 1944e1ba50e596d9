import { dayMs } from '../../../../lib/time/time.js'
import type { KnownSegment } from '../../../../store/tables/operations/sync.js'
import { noteName, type StoreFiles, segmentName, sortFiles } from '../files/store-files.js'
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
import type { SyncDeps } from '../state/context.js'
import { tellAgain, tellNext } from '../state/tell-again.js'
import { type Transport, TransportFault } from '../transports/transport.js'
import { beginWithCheckpoint, type Notes, readNotes, writeCheckpoint } from './checkpoint.js'
import type { ExchangeReport, SyncConfig, SyncRuntime } from './config.js'
import { freshDevice, writeOwn } from './membership.js'
import {
  addRing,
  collectedAtOnce,
  collectLocal,
  type Exchange,
  openExchange,
  putRing,
  saveRings,
} from './open-exchange.js'
import { transportOf } from './place.js'
import { receive } from './receive.js'
import { missingOwn, readPurges, sealed, send, sendEmpty, writePurges } from './send.js'

/** How soon the others learn what this device has read, and how often that it is there. */
const acknowledgeEveryMs = 600_000
const showEveryMs = dayMs

/** Collects local changes, puts them, reads what other devices put, and removes what nobody needs. */
export async function exchangeOnce(
  deps: SyncDeps,
  config: SyncConfig,
  report: ExchangeReport,
  seen: Pick<SyncRuntime, 'notes' | 'view'>,
  given?: Transport,
): Promise<void> {
  const exchange = await openExchange(deps, config, report)
  await collectLocal(exchange)
  const transport = given ?? (await transportOf(deps, config, report))
  const files = await listStore(exchange, transport)
  const notes = await readNotes(exchange, transport, files, seen.notes)
  const known = await deps.store.tables.sync.segments()
  const unlisted = missingOwn(exchange, known, files, notes.checkpoints)
  const missing = await goneOf(exchange, transport, unlisted)
  if (missing.length > 0)
    report.faults.push(
      `${missing.length} segments of this machine are gone from ${transport.place}; it tells all again`,
    )
  if (missing.length > 0 || hasForeignSegments(exchange, known, files))
    await startAnew(exchange, transport, missing)
  await beginWithCheckpoint(exchange, transport, files, notes)
  await receive(exchange, transport, files)
  while (
    await deps.store.write({ until: 'committed', rows: collectedAtOnce }, tables =>
      tellNext(tables, exchange.context, collectedAtOnce),
    )
  )
    if (deps.isStopping()) return
  await deps.store.sync()
  await send(exchange, transport)
  seen.view = await tendStore(exchange, transport, files, notes)
}

/** Segments that are asked for one by one before a list is taken to be behind. */
const mostAsked = 5

/**
 * A list may be behind what the store has, so that what it lacks is asked for by name.
 * @returns the missing segments, or none when the store has them
 */
async function goneOf(
  { config, report }: Exchange,
  transport: Transport,
  unlisted: readonly KnownSegment[],
): Promise<readonly KnownSegment[]> {
  for (const { device, number, hash } of unlisted.slice(0, mostAsked))
    if (!(await transport.get(segmentName({ store: config.store, device, number, hash })))) return unlisted
  if (unlisted.length > 0)
    report.faults.push(
      `${transport.place} has ${unlisted.length} segments of this machine that its list leaves out; the list is behind`,
    )
  return []
}

/** Lists the store and learns its rings. */
export async function listStore(exchange: Exchange, transport: Transport): Promise<StoreFiles> {
  const { config, membership, report, deps } = exchange
  const all = await transport.list()
  const files = sortFiles(all, config.store)
  report.faults.push(...(transport.oddities?.() ?? []))
  if (files.rings.size === 0)
    throw new TransportFault(`${transport.place} has no files of this sync; it may not be connected`)
  report.faults.push(...files.strange.map(name => `${name} is not a file of this sync and is left alone`))
  report.faults.push(...(await membership.learn(transport, files)))
  for (const [hash, ring] of membership.rings)
    if (!files.rings.has(hash)) await putRing(transport, config.store, ring)
  if (membership.heads.length > 1 && isFirstMember(exchange)) await addRing(exchange, transport, {})
  // After a loss of power they are learned again.
  await deps.store.write({ until: 'committed' }, tables => saveRings(tables, exchange))
  // One of a device that belongs is only not deleted yet.
  report.requests = [...files.requests.keys()].filter(tag => !membership.signKeyOf(tag)).length
  return files
}

/** Of devices that see two rings made at once, one unites them. */
function isFirstMember({ membership, own }: Exchange): boolean {
  const [first] = membership.members.map(({ tag }) => tag).sort()
  return first === own.tag || membership.heads.every(ring => ring.wraps[own.tag])
}

/** True when somebody else writes as this device: a restored backup, or a copied machine. */
function hasForeignSegments(
  { own }: Exchange,
  known: readonly KnownSegment[],
  { segments }: StoreFiles,
): boolean {
  const written = knownPlaces(known)
  return segments.some(segment => segment.device === own.tag && !isRead(written, segment))
}

/** Goes on under a new tag, as a device that reads what it was before. */
async function startAnew(
  exchange: Exchange,
  transport: Transport,
  missing: readonly KnownSegment[],
): Promise<void> {
  const { deps, config } = exchange
  const own = freshDevice(exchange.own.name)
  await addRing(exchange, transport, { add: [own] })
  await writeOwn(deps, own)
  exchange.own = own
  exchange.context = { ...exchange.context, tag: own.tag }
  config.earlier.push(config.tag)
  config.tag = own.tag
  await deps.store.transaction(async tables => {
    await saveRings(tables, exchange)
    await tables.sync.dropSegments(missing.map(({ hash }) => hash))
    if (missing.length > 0) await tellAgain(tables)
  })
}

/** Acknowledges what was read, writes a checkpoint when one is due, and deletes what nobody needs. */
async function tendStore(
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
