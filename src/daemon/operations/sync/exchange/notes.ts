import { noHash } from '../files/segment.js'
import type { NamedNote, StoreFiles } from '../files/store-files.js'
import type { NoteCache, SegmentPlace, StoredAcknowledgement, StoredCheckpoint } from '../rules/upkeep.js'
import type { Transport } from '../transports/transport.js'
import type { Exchange } from './open-exchange.js'
import { openFile, orFault, wholeFile } from './receive.js'

export interface Notes {
  /** Those of members, with all their parts, the newest first. */
  checkpoints: StoredCheckpoint[]
  /** Those of members, the newest first. */
  acknowledgements: StoredAcknowledgement[]
  /** All checkpoints that could be read, whole or not. */
  listed: StoredCheckpoint[]
}

/** The first line of the list of a checkpoint; the segments that it contains follow. */
export type CheckpointHead = Pick<StoredCheckpoint, 'afterPurge' | 'parts'>
export type CoverLine = [device: string, number: number, hash: string]

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
