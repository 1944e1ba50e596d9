import { eachAtOnce } from '../../../../lib/concurrency/one-at-a-time.js'
import type { KnownSegment, SyncSegmentRow } from '../../../../store/tables/operations/sync.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { encodeSegment, type FileKind, hashOf, noHash } from '../files/segment.js'
import { type StoreFiles, segmentName } from '../files/store-files.js'
import type { Clock } from '../rules/clock.js'
import { textsOf, withoutPurgedTexts } from '../rules/merge.js'
import type { SyncRecord } from '../rules/records.js'
import { type Checkpoint, inNoCheckpoint, type PurgeSegment, type SegmentPlace } from '../rules/upkeep.js'
import { stateKeys } from '../state/context.js'
import type { Transport } from '../transports/transport.js'
import type { Exchange } from './open-exchange.js'

const mostRecords = 1000
/** Characters of the records in one segment; one record may be longer. */
const mostLength = 2 * 1024 * 1024

/** Seals what is in the outbox into segments and puts them; repeats the same bytes after a kill. */
export async function send(exchange: Exchange, transport: Transport): Promise<void> {
  do await putAll(exchange, transport)
  while (await sealNext(exchange))
}

/** Puts a segment without records, so that the one before it can go. */
export async function sendEmpty(exchange: Exchange, transport: Transport): Promise<void> {
  await exchange.deps.store.transaction(tables => seal(exchange, tables, []))
  await putAll(exchange, transport)
}

/** Seals one segment: the outbox and the segment change in one transaction. @returns false for nothing */
async function sealNext(exchange: Exchange): Promise<boolean> {
  return exchange.deps.store.transaction(async tables => {
    const rows = await nextRows(tables)
    const last = rows.at(-1)
    if (!last) return false
    const written = rows.map(({ record }) => JSON.parse(record) as SyncRecord)
    const purged = await purgedTexts(tables, written)
    await seal(
      exchange,
      tables,
      written.map(record => withoutPurgedTexts(record, purged)),
    )
    await tables.sync.dropOutbox(last.number)
    return true
  })
}

async function seal(exchange: Exchange, tables: Tables, records: readonly SyncRecord[]): Promise<void> {
  const device = exchange.own.tag
  const before = await tables.sync.lastSegment(device)
  const number = (before?.number ?? 0) + 1
  const { bytes, hash } = sealed(exchange, { kind: 'segment', number, previous: before?.hash }, records)
  const place = { hash, device, number }
  await tables.sync.addSegment({ ...place, bytes })
  await notePurges(tables, place, { records, now: exchange.deps.clock() })
}

/** Seals a file of this device. @throws AppError for a device that was removed */
export function sealed(
  { config, own, membership }: Exchange,
  { kind, number, previous = noHash }: { kind: FileKind; number: number; previous?: string },
  lines: readonly unknown[],
): { bytes: Buffer; hash: string } {
  const { epoch, epochKey } = membership.writing(own)
  const head = { store: config.store, device: own.tag, number, epoch, previous }
  const bytes = encodeSegment(head, lines, { epochKey, signing: own.signing }, kind)
  return { bytes, hash: hashOf(bytes) }
}

/** Returns texts of these records that were purged, with the moment. */
async function purgedTexts({ sync }: Tables, records: readonly SyncRecord[]): Promise<Map<string, Clock>> {
  const keys = new Set(records.flatMap(record => textsOf(record).map(({ key }) => key)))
  const known = await sync.texts([...keys])
  return new Map(known.flatMap(({ key, purged }) => (purged === null ? [] : [[key, purged]])))
}

/** Notes a segment with purges, or with texts that were purged: the store needs a checkpoint without them. */
export async function notePurges(
  tables: Tables,
  { device, number, hash }: SegmentPlace,
  { records, now }: { records: readonly SyncRecord[]; now: Date },
): Promise<void> {
  const purged = await purgedTexts(tables, records)
  if (!records.some(one => one.kind === 'purge' || withoutPurgedTexts(one, purged) !== one)) return
  const known = await readPurges(tables)
  if (known.some(one => one.hash === hash)) return
  await writePurges(tables, [...known, { device, number, hash, at: now.getTime() }])
}

export async function readPurges({ sync }: Pick<Tables, 'sync'>): Promise<PurgeSegment[]> {
  return JSON.parse((await sync.get(stateKeys.purges)) ?? '[]') as PurgeSegment[]
}

export async function writePurges(
  { sync }: Pick<Tables, 'sync'>,
  purges: readonly PurgeSegment[],
): Promise<void> {
  await sync.set(stateKeys.purges, JSON.stringify(purges))
}

async function nextRows({ sync }: Tables): Promise<{ number: number; record: string }[]> {
  const rows = await sync.outbox(mostRecords)
  let length = 0
  const fitting = rows.findIndex(({ record }) => {
    length += record.length
    return length > mostLength
  })
  return fitting < 0 ? rows : rows.slice(0, Math.max(1, fitting))
}

async function putAll({ deps, config, report }: Exchange, transport: Transport): Promise<void> {
  const { sync } = deps.store.tables
  const put = async ({ hash, device, number, bytes }: SyncSegmentRow): Promise<void> => {
    await transport.put(segmentName({ store: config.store, device, number, hash }), bytes!)
    await deps.store.transaction(tables => tables.sync.segmentStored(hash))
    report.sentSegments++
  }
  await eachAtOnce(await sync.segmentsToPut(), transport.atOnce ?? 1, put)
}

/**
 * Own segments that the store had and has no more, and that no checkpoint contains: it was rolled back, or
 * somebody deleted them.
 */
export function missingOwn(
  { config: { tag, earlier } }: Exchange,
  known: readonly KnownSegment[],
  { segments }: StoreFiles,
  checkpoints: readonly Pick<Checkpoint, 'covers'>[],
): KnownSegment[] {
  const there = new Set(segments.map(({ hash }) => hash))
  const mine = new Set([tag, ...earlier])
  const gone = known.filter(({ device, hash, waits }) => mine.has(device) && waits === 0 && !there.has(hash))
  return inNoCheckpoint(gone, checkpoints)
}
