import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceChunkRow } from '../../../../store/tables/knowledge/source-chunks.js'
import type { CountChange } from '../../../../store/tables/knowledge/sources.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { verdictColumns } from '../../../safety/verdict-columns.js'
import type { PreparedArtifact, PreparedChunk } from './prepare-artifact.js'

/** Chunks per transaction; a longer artifact needs several. */
export const transactionChunks = 200

/** Links stored per artifact. */
const maxLinks = 1000

/** The pass, time and source of a write. */
export interface WriteContext {
  sourceId: string
  pass: number
  /** ISO 8601. */
  now: string
  newId: () => string
}

/** An artifact that is being written, passed between the steps. */
export interface ArtifactWrite {
  id: string
  prepared: PreparedArtifact
  before: ArtifactRow | undefined
  /** Id of the artifact with the same content at the previous path. */
  twin: string | undefined
  /** True if every chunk must be written, because title, names and author are part of each index entry. */
  all: boolean
}

/**
 * Begins to write an artifact: its row and text. It has no fingerprint until `endArtifact`, so a pass after a
 * kill reads it again.
 * @returns undefined if the content is unchanged; then only the row was updated
 */
export async function beginArtifact(
  tables: Tables,
  place: WriteContext,
  prepared: PreparedArtifact,
): Promise<ArtifactWrite | undefined> {
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

/** Finds the artifact at the previous path. With equal content its vectors are reused. */
async function twinOf(
  { sourceArtifacts }: Tables,
  { sourceId }: WriteContext,
  { read: { movedFrom }, contentHash }: PreparedArtifact,
  before: ArtifactRow | undefined,
): Promise<string | undefined> {
  if (before || movedFrom === undefined) return undefined
  const twin = await sourceArtifacts.byPath(sourceId, movedFrom)
  return twin?.content_hash === contentHash ? twin.id : undefined
}

/**
 * Writes the changed chunks of an artifact from a number on.
 * @returns the number of the next chunk
 */
export async function writeChunks(
  tables: Tables,
  { sourceId }: WriteContext,
  { id, prepared: { chunks }, twin, all }: ArtifactWrite,
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

/** Marks surplus chunks as removed and sets the fingerprint, which marks the artifact as read. */
export async function endArtifact(
  tables: Tables,
  { sourceId }: WriteContext,
  { id, prepared: { chunks, read }, before }: ArtifactWrite,
): Promise<void> {
  const had = before?.chunk_count ?? 0
  // An interrupted write may have left more chunks than the row says.
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
