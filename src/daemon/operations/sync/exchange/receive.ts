import { slicesOf } from '../../../../lib/text/clip.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { EpochKeys } from '../files/ring.js'
import { decodeSegment, type FileKind, hashOf, headOf, noHash, SegmentFault } from '../files/segment.js'
import type { NamedSegment, StoreFiles } from '../files/store-files.js'
import { isTooFarAhead } from '../rules/clock.js'
import type { SyncRecord } from '../rules/records.js'
import { isRead, knownPlaces } from '../rules/upkeep.js'
import { applyRecords } from '../state/apply.js'
import type { Settled } from '../state/settle.js'
import type { Transport } from '../transports/transport.js'
import { collectAll, type Exchange, indexSettled } from './open-exchange.js'
import { notePurges } from './send.js'

/** Records of one transaction; requests wait while it runs. */
const together = 200

/** Reads the segments of other devices that this one has not read. */
export async function receive(exchange: Exchange, transport: Transport, files: StoreFiles): Promise<void> {
  const { deps, membership, report } = exchange
  const known = knownPlaces(await deps.store.tables.sync.segments())
  const reading: SegmentReading = {
    exchange,
    transport,
    read: new Set(known.hashes),
    keys: membership.keysOf(exchange.own),
  }
  const waiting = files.segments.filter(segment => !isRead(known, segment))
  report.toRead = waiting.length
  for (const segment of waiting) {
    if (deps.isStopping()) return
    if (segment.number > membership.lastOf(segment.device)) {
      report.faults.push(`${segment.name} does not count: its device was removed`)
      continue
    }
    await orFault(exchange, segment, () => readOne(reading, segment))
  }
}

/** Names a file that can't be read now. @returns undefined for one */
export async function orFault<T>(
  { report }: Exchange,
  { name }: { name: string },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SegmentFault)) throw error
    report.faults.push(`${name} is left alone: ${error.message}`)
    return undefined
  }
}

interface SegmentReading {
  exchange: Exchange
  transport: Transport
  /** Hashes of segments that were read. */
  read: Set<string>
  keys: EpochKeys
}

/** @throws SegmentFault for one that can't be read now, or ever */
async function readOne(reading: SegmentReading, segment: NamedSegment): Promise<void> {
  const { exchange, transport, read, keys } = reading
  const file = await wholeFile(transport, segment)
  const { previous } = headOf(file)
  const isNext = segment.number === 1 ? previous === noHash : read.has(previous)
  if (!isNext) throw new SegmentFault('a segment before it has not arrived')
  const { hash, device, number } = segment
  const records = openFile<SyncRecord>(exchange, keys, file, { kind: 'segment', device, number, previous })
  await addRead(exchange, records, async tables => {
    await tables.sync.addSegment({ hash, device, number, bytes: null })
    await notePurges(tables, segment, { records, now: exchange.deps.clock() })
  })
  read.add(hash)
  exchange.report.toRead--
}

/** @throws SegmentFault for a file that has not arrived as a whole */
export async function wholeFile(
  transport: Transport,
  { name, hash }: { name: string; hash: string },
): Promise<Buffer> {
  const file = await transport.get(name)
  if (!file) throw new SegmentFault('it is not downloaded yet')
  if (hashOf(file) !== hash) throw new SegmentFault('it is cut or was changed; it may still arrive')
  return file
}

/**
 * Adds what was read, and notes that in the last of the transactions.
 * @throws SegmentFault for records that come from the future
 */
export async function addRead(
  exchange: Exchange,
  records: readonly SyncRecord[],
  note: (tables: Tables) => Promise<void>,
): Promise<void> {
  const { deps, context, report } = exchange
  if (records.some(({ clock }) => isTooFarAhead(clock, deps.clock().getTime())))
    throw new SegmentFault('its clock is more than an hour ahead of this machine')
  const slices = records.length === 0 ? [records] : slicesOf(records, together)
  for (const [at, slice] of slices.entries()) {
    const isLast = at === slices.length - 1
    const settled = await deps.store.write(
      { until: 'committed', rows: together },
      async (tables): Promise<Settled[]> => {
        const own = await collectAll(exchange, tables)
        const told = await applyRecords(deps, tables, context, slice)
        if (isLast) await note(tables)
        return [...own, told]
      },
    )
    await indexSettled(deps, settled)
    report.readRecords += slice.length
  }
}

/** Opens a file of a device. @throws SegmentFault */
export function openFile<T>(
  { config, membership }: Exchange,
  keys: EpochKeys,
  file: Buffer,
  { kind, ...place }: { kind: FileKind; device: string; number: number; previous: string },
): T[] {
  const { epoch } = headOf(file, kind)
  const signing = membership.signKeyOf(place.device)
  if (!signing) throw new SegmentFault('the ring of its device has not arrived')
  const wanted = { store: config.store, epoch, ...place }
  const ofEpoch = [...keys].filter(([hash]) => membership.rings.get(hash)?.epoch === epoch)
  if (ofEpoch.length === 0) throw new SegmentFault(`the key of epoch ${epoch} has not arrived`)
  // Rings that were made at once have one number and a key each.
  for (const [at, [, epochKey]] of ofEpoch.entries())
    try {
      return decodeSegment<T>(file, wanted, { epochKey, signing }, kind)
    } catch (error) {
      if (at === ofEpoch.length - 1) throw error
    }
  return []
}
