import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceChunkRow } from '../../../../store/tables/knowledge/source-chunks.js'
import type { CountChange } from '../../../../store/tables/knowledge/sources.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { verdictColumns } from '../../../safety/verdict-columns.js'
import type { PreparedArtifact, PreparedChunk } from './prepare-artifact.js'

/** Chunks that one transaction writes; an artifact with more is written by several. */
export const transactionChunks = 200

/** Links of one artifact that are kept. */
const maxLinks = 1000

/** Where an artifact is written. */
export interface Place {
  sourceId: string
  /** Number of the pass. */
  pass: number
  /** ISO 8601. */
  now: string
  newId: () => string
}

/** The writing of one artifact, between its steps. */
export interface Writing {
  id: string
  prepared: PreparedArtifact
  before: ArtifactRow | undefined
  /** The artifact of the same content at the place where it was before. */
  twin: string | undefined
  /** Title, names and author stand in every entry of the index: when they change all chunks are written. */
  all: boolean
}

/**
 * Begins the writing of an artifact: its row and text. Until `endArtifact` it has no fingerprint, so that a pass after a
 * kill reads it again.
 * @returns undefined when it is the same as before: only its row was brought up to date.
 */
export async function beginArtifact(
  tables: Tables,
  place: Place,
  prepared: PreparedArtifact,
): Promise<Writing | undefined> {
  const { sourceId, pass, now, newId } = place
  const { read, contentHash, verdict } = prepared
  const before = await tables.sourceArtifacts.byPath(sourceId, read.path)
  const facts = {
    kind: read.kind,
    url: read.url ?? null,
    source_updated_at: read.updatedAt,
    is_local_only: read.isLocalOnly ? 1 : 0,
    pass,
  }
  if (before && before.content_hash === contentHash && before.fingerprint !== '') {
    await tables.sourceArtifacts.change(before.id, { ...facts, fingerprint: read.fingerprint })
    return undefined
  }
  const id = before?.id ?? newId()
  const names = JSON.stringify(read.names ?? [])
  await tables.sourceArtifacts.put(
    {
      id,
      source_id: sourceId,
      path: read.path,
      title: read.title,
      names,
      author: read.author ?? null,
      ...facts,
      fingerprint: '',
      content_hash: contentHash,
      chunk_count: before?.chunk_count ?? 0,
      removed: 0,
      ...verdictColumns(verdict, now),
      created_at: before?.created_at ?? now,
      updated_at: now,
    },
    read.text,
  )
  await tables.sourceNotes.putLinks(id, linksOf(id, sourceId, prepared))
  const counts = {
    artifacts: before ? 0 : 1,
    chunks: 0,
    covered: before && before.fingerprint !== '' ? -1 : 0,
  }
  await tables.sources.count(sourceId, counts)
  const all =
    !before ||
    before.fingerprint === '' ||
    before.title !== read.title ||
    before.names !== names ||
    before.author !== (read.author ?? null)
  return { id, prepared, before, twin: await twinOf(tables, place, prepared, before), all }
}

/** What moved says the same at another place: making its vectors anew would give the same ones. */
async function twinOf(
  { sourceArtifacts }: Tables,
  { sourceId }: Place,
  { read: { movedFrom }, contentHash }: PreparedArtifact,
  before: ArtifactRow | undefined,
): Promise<string | undefined> {
  if (before || movedFrom === undefined) return undefined
  const twin = await sourceArtifacts.byPath(sourceId, movedFrom)
  return twin?.content_hash === contentHash ? twin.id : undefined
}

/** Writes chunks of an artifact from a number on, those that are other than before. @returns where the next ones begin. */
export async function writeChunks(
  tables: Tables,
  { sourceId }: Place,
  { id, prepared: { chunks }, twin, all }: Writing,
  from: number,
): Promise<number> {
  const part = chunks.slice(from, from + transactionChunks)
  const stored = await tables.sourceChunks.of(id, from, part.length)
  const known = new Map(stored.map(row => [row.chunk, row]))
  const changed = part
    .map((chunk, offset) => ({ ...chunk, number: from + offset }))
    .filter(chunk => all || !isSame(chunk, known.get(chunk.number)))
  const first = changed.length > 0 ? await tables.meta.nextChanges(changed.length) : 0
  await tables.sourceChunks.put(
    changed.map(({ number, heading, page, text, safety }, offset) => ({
      artifact_id: id,
      chunk: number,
      source_id: sourceId,
      heading,
      page,
      text,
      safety_status: safety,
      change: first + offset,
    })),
  )
  if (twin) await tables.sourceChunks.copyVectors(twin, id, { from, limit: part.length })
  return from + part.length
}

/** Marks what an artifact had more before, and gives it its fingerprint: from then on it is read. */
export async function endArtifact(
  tables: Tables,
  { sourceId }: Place,
  { id, prepared: { chunks, read }, before }: Writing,
): Promise<void> {
  const had = before?.chunk_count ?? 0
  // A writing that was cut short may have left more than the row tells.
  const last = await tables.sourceChunks.lastOf(id)
  for (let from = chunks.length; from <= last; from += transactionChunks) {
    const limit = Math.min(transactionChunks, last + 1 - from)
    const first = await tables.meta.nextChanges(limit)
    await tables.sourceChunks.markRemoved(id, { from, limit }, first)
  }
  await tables.sourceArtifacts.change(id, { fingerprint: read.fingerprint, chunk_count: chunks.length })
  const counts: CountChange = { artifacts: 0, chunks: chunks.length - had, covered: 1 }
  await tables.sources.count(sourceId, counts)
}

function isSame(chunk: PreparedChunk, row: SourceChunkRow | undefined): boolean {
  return (
    row !== undefined &&
    row.removed === 0 &&
    row.text === chunk.text &&
    row.heading === chunk.heading &&
    row.page === chunk.page &&
    row.safety_status === chunk.safety
  )
}

function linksOf(id: string, sourceId: string, { read }: PreparedArtifact) {
  return (read.links ?? []).slice(0, maxLinks).map(({ to, text, toPath }, position) => ({
    artifact_id: id,
    position,
    source_id: sourceId,
    target: to,
    text: text ?? null,
    to_path: toPath ?? null,
  }))
}
