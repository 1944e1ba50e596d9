import type { KnownSegment } from '../../../../store/tables/operations/sync.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { encodeSegment, hashOf, noHash } from '../files/segment.js'
import { type StoreFiles, segmentName } from '../files/store-files.js'
import type { SyncRecord } from '../rules/records.js'
import type { Transport } from '../transports/transport.js'
import type { Exchange } from './open-exchange.js'

const mostRecords = 2000
/** Characters of the records in one segment; one record may be longer. */
const mostLength = 4 * 1024 * 1024

/** Seals what is in the outbox into segments and puts them; repeats the same bytes after a kill. */
export async function send(exchange: Exchange, transport: Transport): Promise<void> {
  do await putAll(exchange, transport)
  while (await sealNext(exchange))
}

/** Seals one segment: the outbox and the segment change in one transaction. @returns false for nothing */
async function sealNext({ deps, config, own, membership }: Exchange): Promise<boolean> {
  const { epoch, epochKey } = membership.writing(own)
  return deps.store.transaction(async tables => {
    const rows = await nextRows(tables)
    const last = rows.at(-1)
    if (!last) return false
    const before = await tables.sync.lastSegment(own.tag)
    const number = (before?.number ?? 0) + 1
    const previous = before?.hash ?? noHash
    const head = { store: config.store, device: own.tag, number, epoch, previous }
    const records = rows.map(({ record }) => JSON.parse(record) as SyncRecord)
    const bytes = encodeSegment(head, records, { epochKey, signing: own.signing })
    await tables.sync.addSegment({ hash: hashOf(bytes), device: own.tag, number, bytes })
    await tables.sync.dropOutbox(last.number)
    return true
  })
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
  for (const { hash, device, number, bytes } of await sync.segmentsToPut()) {
    await transport.put(segmentName({ store: config.store, device, number, hash }), bytes!)
    await deps.store.transaction(tables => tables.sync.segmentStored(hash))
    report.sentSegments++
  }
}

/** Own segments that the store had and has no more: it was rolled back, or somebody deleted them. */
export function missingOwn(
  { config: { tag, earlier } }: Exchange,
  known: readonly KnownSegment[],
  { segments }: StoreFiles,
): string[] {
  const there = new Set(segments.map(({ hash }) => hash))
  const mine = new Set([tag, ...earlier])
  return known
    .filter(({ device, hash, waits }) => mine.has(device) && waits === 0 && !there.has(hash))
    .map(({ hash }) => hash)
}
