import type { KnownSegment } from '../../../../store/tables/operations/sync.js'
import { type StoreFiles, segmentName, sortFiles } from '../files/store-files.js'
import { isRead, knownPlaces } from '../rules/upkeep.js'
import type { SyncDeps } from '../state/context.js'
import { tellAgain, tellNext } from '../state/tell-again.js'
import { type Transport, TransportFault } from '../transports/transport.js'
import { beginWithCheckpoint } from './checkpoint.js'
import type { ExchangeReport, SyncConfig, SyncRuntime } from './config.js'
import { readNotes } from './notes.js'
import {
  addRing,
  collectedAtOnce,
  collectLocal,
  type Exchange,
  openExchange,
  putRing,
  saveRings,
} from './open-exchange.js'
import { freshDevice, writeOwn } from './own-device.js'
import { transportOf } from './place.js'
import { receive } from './receive.js'
import { missingOwn, send } from './send.js'
import { tendStore } from './tend-store.js'

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
