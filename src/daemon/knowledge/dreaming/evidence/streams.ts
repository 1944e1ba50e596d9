import { basename } from 'node:path'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { SourceChunkToIndex } from '../../../../store/tables/knowledge/source-chunks.js'
import { firstHolder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { verbatimOf } from '../../../memory/records/layout.js'
import { manifestKind, withoutFence } from '../../files/manifest-kind.js'
import {
  type AgentText,
  type EvidenceDeps,
  type EvidenceStream,
  type ManifestText,
  maxTextCharacters,
  upTo,
} from './evidence.js'

const batchRows = 50

/** Memories derived from others are not evidence, because they would confirm themselves. */
const derivedTypes = ['ontology', 'recall-aggregate']

const pageRows = 200

/** Memories, once for each agent that holds one; compaction summaries are memories too. */
export const memories: EvidenceStream = {
  name: 'memories',
  place: 'dream-memories',
  next: async (deps, place, until) => {
    const changed = upTo(until, await deps.store.tables.memories.afterChange(place, batchRows))
    const last = changed.at(-1)
    if (!last) return undefined
    const rows = await loadInOrder(
      deps,
      changed.map(({ id }) => id),
    )
    const manifests = await manifestsOfChunks(deps, rows)
    return { pieces: await textsOf(deps, rows), manifests, place: String(last.change) }
  },
}

/**
 * Returns memories as texts, in order: clean ones that were not superseded. Chunks of documents are left out,
 * because they are the words of the document's author.
 */
export async function textsOfMemories(deps: EvidenceDeps, ids: readonly string[]): Promise<AgentText[]> {
  return textsOf(deps, await loadInOrder(deps, ids))
}

async function loadInOrder({ store }: EvidenceDeps, ids: readonly string[]): Promise<MemoryRow[]> {
  const loaded = new Map((await store.tables.memories.load(ids)).map(row => [row.id, row]))
  return ids.flatMap(id => loaded.get(id) ?? [])
}

async function textsOf({ store }: EvidenceDeps, all: readonly MemoryRow[]): Promise<AgentText[]> {
  const rows = all.filter(isRead)
  const further = await store.tables.holders.of(
    rows.filter(row => row.further_holders > 0).map(({ id }) => id),
  )
  return rows.flatMap(row => {
    const holders = [firstHolder(row), ...(further.get(row.id) ?? [])]
    const seen = new Set<string>()
    return holders
      .filter(({ agent_id, visibility }) => {
        const isNew = visibility !== 'archived' && !seen.has(agent_id)
        seen.add(agent_id)
        return isNew
      })
      .map(({ agent_id, project }) => pieceOf(row, agent_id, project))
  })
}

function isRead(row: MemoryRow): boolean {
  return (
    row.is_deleted === 0 &&
    row.safety_status === 'clean' &&
    row.superseded_by === null &&
    row.type !== chunkType &&
    !derivedTypes.includes(row.source_type ?? '')
  )
}

/** White space between the words of a line. */
const gap = /(?<=\S)[^\S\n]+/gu

/** With its lines: lists, tables and headings are read by them. */
function pieceOf(row: MemoryRow, agentId: string, project: string | null): AgentText {
  const text = verbatimOf(row)?.replace(gap, ' ') ?? row.content
  return {
    agentId,
    named: [...row.tags.split(',').filter(Boolean), ...namesIn(row.structured)],
    piece: {
      sourceKind: 'memory',
      sourceId: row.id,
      text: text.slice(0, maxTextCharacters),
      speaker: row.who,
      at: row.occurred_at ?? row.created_at,
      project,
      sessionKey: row.session_id && sessionKeyOf(row.session_id),
    },
  }
}

/** Returns entity names from the structured payload, where each is a string or an object with a name. */
function namesIn(structured: string | null): string[] {
  if (structured === null) return []
  const { entities = [] } = JSON.parse(structured) as { entities?: unknown[] }
  return entities.flatMap(entity => {
    const name = typeof entity === 'object' && entity !== null && 'name' in entity ? entity.name : entity
    return typeof name === 'string' && name.length <= 200 ? [name] : []
  })
}

const batchChunks = 50

/** Kinds of sources with the user's own words; issues and channels contain texts of strangers. */
const ownKinds = ['import', sourceKind.obsidian]

/** Notes and imported files, in chunks. */
export const artifacts: EvidenceStream = {
  name: 'artifacts',
  place: 'dream-artifacts',
  next: async ({ store }, place, until) => {
    const changed = upTo(until, await store.tables.sourceChunks.afterChange(place, batchChunks))
    const last = changed.at(-1)
    if (!last) return undefined
    const manifests = await manifestsOfArtifacts({ store }, changed.filter(isOfManifest))
    return { pieces: changed.flatMap(piecesOfChunk), manifests, place: String(last.change) }
  },
}

/** Returns all texts of one artifact. */
export async function textsOfArtifact({ store }: EvidenceDeps, id: string): Promise<AgentText[]> {
  return (await store.tables.sourceChunks.toIndexOf(id, 0, 200)).flatMap(piecesOfChunk)
}

/** Kinds of sources with projects, whose manifests are certain whoever wrote them. */
const projectKinds = ['import', sourceKind.github]

function isOfManifest({ alive, source_kind, artifact_path }: SourceChunkToIndex): boolean {
  return (
    alive === 1 && projectKinds.includes(source_kind ?? '') && manifestKind(artifact_path ?? '') !== undefined
  )
}

function piecesOfChunk(chunk: SourceChunkToIndex): AgentText[] {
  if (isOfManifest(chunk)) return []
  const { agent_id: agentId, source_kind: kind, alive, author, source_updated_at: at, title } = chunk
  if (alive !== 1 || agentId === null || !ownKinds.includes(kind ?? '')) return []
  return [
    {
      agentId,
      named: [],
      piece: {
        sourceKind: 'artifact',
        sourceId: chunk.artifact_id,
        text: chunk.text,
        ...(title && { title }),
        speaker: author,
        at: at ?? '',
        project: null,
        sessionKey: null,
      },
    },
  ]
}

const batchTranscriptChunks = 10

/** Messages of sessions, in chunks; a conversation that goes on is read from its first changed chunk. */
export const conversations: EvidenceStream = {
  name: 'conversations',
  place: 'dream-conversations',
  next: async ({ store }, place, until) => {
    const after = await store.tables.transcriptChunks.afterChange(place, batchTranscriptChunks)
    const changed = upTo(until, after)
    const last = changed.at(-1)
    if (!last) return undefined
    const pieces: AgentText[] = []
    for (const { alive, body_id, first_position, last_position } of changed) {
      const row = alive === 1 ? await store.tables.transcripts.byBody(body_id) : undefined
      if (row?.safety_status !== 'clean') continue
      pieces.push(...(await messagesOf({ store }, row, { from: first_position, to: last_position })))
    }
    return { pieces, place: String(last.change) }
  },
}

/** Returns the messages of one conversation from its beginning. */
export async function textsOfConversation(
  { store }: EvidenceDeps,
  agentId: string,
  sessionKey: string,
): Promise<AgentText[]> {
  const row = await store.tables.transcripts.find({ agentId, sessionKey })
  if (row?.safety_status !== 'clean') return []
  return messagesOf({ store }, row, { from: 0, to: row.messages - 1 })
}

async function messagesOf(
  { store }: EvidenceDeps,
  row: TranscriptRow,
  { from, to }: { from: number; to: number },
): Promise<AgentText[]> {
  const pieces: AgentText[] = []
  for (let next = from; next <= to; ) {
    const page = await store.tables.transcripts.messages(row, next, to - next + 1)
    if (page.length === 0) break
    for (const { text, role, at } of page)
      pieces.push({
        agentId: row.agent_id,
        named: [],
        piece: {
          sourceKind: 'transcript',
          sourceId: row.session_key,
          text: text.slice(0, maxTextCharacters),
          speaker: role,
          at: at ?? row.captured_at,
          project: row.project,
          sessionKey: row.session_key,
        },
      })
    next += page.length
  }
  return pieces
}

/** Returns the clean manifests to which some chunks of artifacts belong. */
async function manifestsOfArtifacts(
  { store: { tables } }: EvidenceDeps,
  chunks: readonly Pick<SourceChunkToIndex, 'artifact_id' | 'agent_id'>[],
): Promise<ManifestText[]> {
  const manifests: ManifestText[] = []
  for (const [id, agentId] of new Map(chunks.map(chunk => [chunk.artifact_id, chunk.agent_id]))) {
    const row = agentId === null ? undefined : await tables.sourceArtifacts.ofAgent(agentId, id)
    const text = row?.safety_status === 'clean' ? await tables.sourceArtifacts.textOf(id) : undefined
    if (agentId === null || row === undefined || text === undefined) continue
    const place = { fileName: basename(row.path), root: row.path, project: null }
    manifests.push({ ...place, agentId, text, parts: [{ sourceKind: 'artifact', sourceId: id, text }] })
  }
  return manifests
}

/** Returns the manifests to which some passages of documents belong. */
async function manifestsOfChunks(deps: EvidenceDeps, rows: readonly MemoryRow[]): Promise<ManifestText[]> {
  const documents = rows.flatMap(({ type, is_deleted, source_id, source_path }) =>
    type === chunkType && is_deleted === 0 && source_id && manifestKind(source_path ?? '') ? [source_id] : [],
  )
  const manifests: ManifestText[] = []
  for (const id of new Set(documents)) manifests.push(...(await manifestOfDocument(deps, id)))
  return manifests
}

/**
 * Returns the manifest that a document is. Its passages are parts of a code block, cut between lines
 * (documents.md#chunks). A document that is being read follows with an attention.
 */
export async function manifestOfDocument(
  { store: { tables } }: EvidenceDeps,
  id: string,
): Promise<ManifestText[]> {
  const row = await tables.documents.load(id)
  if (row?.status !== 'done' || !row.source_url || !manifestKind(row.source_url)) return []
  const chunks = await tables.documentChunks.page(id, -1, pageRows)
  const loaded = new Map(
    (await tables.memories.load(chunks.map(chunk => chunk.id))).map(memory => [memory.id, memory]),
  )
  if (chunks.some(chunk => loaded.get(chunk.id)?.safety_status !== 'clean')) return []
  return [
    {
      agentId: row.agent_id,
      project: row.project,
      fileName: basename(row.source_url),
      root: row.source_url,
      text: chunks.map(({ content }) => withoutFence(content)).join('\n'),
      parts: chunks.map(chunk => ({ sourceKind: 'memory', sourceId: chunk.id, text: chunk.content })),
    },
  ]
}
