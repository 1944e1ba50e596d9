import { slicesOf } from '../../../../lib/text/slices-of.js'
import type { EpochKeys } from '../files/ring.js'
import { decodeSegment, hashOf, headOf, noHash, SegmentFault } from '../files/segment.js'
import type { NamedSegment, StoreFiles } from '../files/store-files.js'
import { isTooFarAhead } from '../rules/clock.js'
import type { SyncRecord } from '../rules/records.js'
import { applyRecords } from '../state/apply.js'
import type { Settled } from '../state/settle.js'
import type { Transport } from '../transports/transport.js'
import { collectAll, type Exchange, indexSettled } from './open-exchange.js'

/** Records of one transaction; requests wait while it runs. */
const together = 200

/** Reads the segments of other devices that this one has not read. */
export async function receive(exchange: Exchange, transport: Transport, files: StoreFiles): Promise<void> {
  const { deps, membership, report } = exchange
  const known = await deps.store.tables.sync.segments()
  const read = new Set(known.map(({ hash }) => hash))
  const reading: SegmentReading = {
    exchange,
    transport,
    read,
    keys: membership.keysOf(exchange.own),
  }
  const waiting = files.segments.filter(({ hash }) => !read.has(hash))
  report.toRead = waiting.length
  for (const segment of waiting) {
    if (deps.isStopping()) return
    if (segment.number > membership.lastOf(segment.device)) {
      report.faults.push(`${segment.name} does not count: its device was removed`)
      continue
    }
    try {
      await readOne(reading, segment)
    } catch (error) {
      if (!(error instanceof SegmentFault)) throw error
      report.faults.push(`${segment.name} is left alone: ${error.message}`)
    }
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
  const { exchange, transport, read } = reading
  const { deps, context, report } = exchange
  const file = await transport.get(segment.name)
  if (!file) throw new SegmentFault('it is not downloaded yet')
  if (hashOf(file) !== segment.hash) throw new SegmentFault('it is cut or was changed; it may still arrive')
  const records = recordsOf(reading, segment, file)
  const ahead = records.find(({ clock }) => isTooFarAhead(clock, deps.clock().getTime()))
  if (ahead) throw new SegmentFault('its clock is more than an hour ahead of this machine')
  const slices = [...slicesOf(records, together)]
  for (const [at, slice] of [...slices, ...(slices.length === 0 ? [[]] : [])].entries()) {
    const isLast = at >= slices.length - 1
    const settled = await deps.store.write(
      { until: 'committed', rows: together },
      async (tables): Promise<Settled[]> => {
        const own = await collectAll(exchange, tables)
        const told = await applyRecords(deps, tables, context, slice)
        const { hash, device, number } = segment
        if (isLast) await tables.sync.addSegment({ hash, device, number, bytes: null })
        return [...own, told]
      },
    )
    await indexSettled(deps, settled)
    report.readRecords += slice.length
  }
  read.add(segment.hash)
  report.toRead--
}

function recordsOf(
  { exchange: { config, membership }, keys, read }: SegmentReading,
  { device, number }: NamedSegment,
  file: Buffer,
): SyncRecord[] {
  const head = headOf(file)
  const isNext = number === 1 ? head.previous === noHash : read.has(head.previous)
  if (!isNext) throw new SegmentFault('a segment before it has not arrived')
  const signing = membership.signKeyOf(device)
  if (!signing) throw new SegmentFault('the ring of its device has not arrived')
  const wanted = { store: config.store, device, number, epoch: head.epoch, previous: head.previous }
  const ofEpoch = [...keys].filter(([hash]) => membership.rings.get(hash)?.epoch === head.epoch)
  if (ofEpoch.length === 0) throw new SegmentFault(`the key of epoch ${head.epoch} has not arrived`)
  // Rings that were made at once have one number and a key each.
  for (const [at, [, epochKey]] of ofEpoch.entries())
    try {
      return decodeSegment(file, wanted, { epochKey, signing })
    } catch (error) {
      if (at === ofEpoch.length - 1) throw error
    }
  return []
}
