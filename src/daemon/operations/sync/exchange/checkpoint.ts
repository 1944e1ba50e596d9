import { noHash } from '../files/segment.js'
import { type NamedNote, noteName, partName, type StoreFiles } from '../files/store-files.js'
import type { SyncRecord } from '../rules/records.js'
import {
  type CheckpointPart,
  knownPlaces,
  type NoteCache,
  needsCheckpoint,
  type SegmentPlace,
  type StoredAcknowledgement,
  type StoredCheckpoint,
} from '../rules/upkeep.js'
import { stateKeys } from '../state/context.js'
import { knownRecords } from '../state/tell-again.js'
import type { Transport } from '../transports/transport.js'
import type { Exchange } from './open-exchange.js'
import { addRead, openFile, orFault, wholeFile } from './receive.js'
import { sealed } from './send.js'

/** Characters of the records in one part; one record may be longer. */
const mostLength = 1024 * 1024
const memoriesAtOnce = 100

export interface Notes {
  /** Those of members, with all their parts, the newest first. */
  checkpoints: StoredCheckpoint[]
  /** Those of members, the newest first. */
  acknowledgements: StoredAcknowledgement[]
  /** All checkpoints that could be read, whole or not. */
  listed: StoredCheckpoint[]
}

/** The first line of the list of a checkpoint; the segments that it contains follow. */
type CheckpointHead = Pick<StoredCheckpoint, 'afterPurge' | 'parts'>
type CoverLine = [device: string, number: number, hash: string]

/** Reads checkpoints of which this device lacks segments that are gone, or very many. */
export async function beginWithCheckpoint(
  exchange: Exchange,
  transport: Transport,
  { segments }: StoreFiles,
  { checkpoints }: Notes,
): Promise<void> {
  const present = new Set(segments.map(({ hash }) => hash))
  for (const checkpoint of checkpoints) {
    const known = knownPlaces(await exchange.deps.store.tables.sync.segments())
    if (needsCheckpoint(checkpoint, known, present))
      await orFault(exchange, checkpoint, () => readCheckpoint(exchange, transport, checkpoint))
  }
}

/** Adds a checkpoint part by part; after a kill it goes on with the next one. */
async function readCheckpoint(
  exchange: Exchange,
  transport: Transport,
  { device, hash, parts, covers }: StoredCheckpoint,
): Promise<void> {
  const { deps, config, membership, report } = exchange
  const keys = membership.keysOf(exchange.own)
  const [begun, next] = ((await deps.store.tables.sync.get(stateKeys.begun)) ?? '').split(' ')
  const first = begun === hash ? Number(next) : 0
  for (let at = first; at < parts.length; at++) {
    if (deps.isStopping()) return
    report.toRead = parts.length - at
    const part = parts[at]!
    const name = partName({ store: config.store, device, hash: part.hash })
    const file = await wholeFile(transport, { name, hash: part.hash })
    const place = { kind: 'part' as const, device, number: at + 1, previous: noHash }
    await addRead(exchange, openFile<SyncRecord>(exchange, keys, file, place), tables =>
      tables.sync.set(stateKeys.begun, `${hash} ${at + 1}`),
    )
  }
  await deps.store.transaction(async tables => {
    await tables.sync.addSegments(covers.map(place => ({ ...place, bytes: null })))
    await tables.sync.set(stateKeys.begun, '')
  })
}

/**
 * Writes all that this device knows, in parts and then their list: without it nobody reads the parts. The
 * caller has collected and read all, so that every segment that this device has read is contained.
 */
export async function writeCheckpoint(
  exchange: Exchange,
  transport: Transport,
  { covers, at, afterPurge }: Pick<StoredCheckpoint, 'covers' | 'at' | 'afterPurge'>,
): Promise<void> {
  const { deps, config, own, context } = exchange
  const parts: CheckpointPart[] = []
  let pending: SyncRecord[] = []
  let length = 0
  const put = async (): Promise<void> => {
    const { bytes, hash } = sealed(exchange, { kind: 'part', number: parts.length + 1 }, pending)
    await transport.put(partName({ store: config.store, device: own.tag, hash }), bytes)
    parts.push({ hash, bytes: bytes.length })
    pending = []
    length = 0
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (deps.isStopping()) return
    const { records, last } = await knownRecords(deps.store.tables, context, { after, limit: memoriesAtOnce })
    for (const record of records) {
      pending.push(record)
      length += JSON.stringify(record).length
      if (length >= mostLength) await put()
    }
    after = last
  }
  if (pending.length > 0) await put()
  const head: CheckpointHead = { afterPurge, parts }
  const lines = covers.map(({ device, number, hash }): CoverLine => [device, number, hash])
  const { bytes, hash } = sealed(exchange, { kind: 'checkpoint', number: at }, [head, ...lines])
  await transport.put(noteName({ store: config.store, kind: 'checkpoint', device: own.tag, at, hash }), bytes)
}

/** Reads what members say of the store. Files that are not whole are named and wait. */
export async function readNotes(
  exchange: Exchange,
  transport: Transport,
  files: StoreFiles,
  cache: NoteCache,
): Promise<Notes> {
  const members = new Set(exchange.membership.members.map(({ tag }) => tag))
  const keys = exchange.membership.keysOf(exchange.own)
  const notes: Notes = { checkpoints: [], acknowledgements: [], listed: [] }
  for (const note of files.notes) {
    if (!members.has(note.device)) continue
    const read =
      cache.get(note.name) ??
      (await orFault(exchange, note, async () => {
        const file = await wholeFile(transport, note)
        const place = { kind: note.kind, device: note.device, number: note.at, previous: noHash }
        return noteOf(note, openFile<unknown>(exchange, keys, file, place))
      }))
    if (!read) continue
    cache.set(note.name, read)
    if ('read' in read) notes.acknowledgements.push(read)
    else {
      notes.listed.push(read)
      if (isWhole(read, files)) notes.checkpoints.push(read)
    }
  }
  const present = new Set(files.notes.map(({ name }) => name))
  for (const name of cache.keys()) if (!present.has(name)) cache.delete(name)
  return notes
}

function noteOf(
  { kind, name, device, at, hash }: NamedNote,
  lines: readonly unknown[],
): StoredCheckpoint | StoredAcknowledgement {
  if (kind === 'read') return { name, device, at, read: new Set(lines as string[]) }
  const [head, ...covers] = lines as [CheckpointHead, ...CoverLine[]]
  return {
    ...{ name, device, at, hash, ...head },
    covers: covers.map(([of, number, segment]): SegmentPlace => ({ device: of, number, hash: segment })),
    bytes: head.parts.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function isWhole({ parts, device }: StoredCheckpoint, files: StoreFiles): boolean {
  return parts.every(({ hash, bytes }) => {
    const part = files.parts.get(hash)
    return part?.bytes === bytes && part.device === device
  })
}
