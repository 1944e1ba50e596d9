import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import { firstHolder } from '../../../../store/tables/memory/holders.js'
import { isVisibleTo, isWithinProject } from '../../../../store/tables/memory/memory-filter.js'
import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { SourceReader } from './source.js'

/** Captured conversations, identified by session key; each part is a message. They may grow. */
const transcriptSource: SourceReader = {
  kind: 'transcript',
  idOf: sessionKeyOf,
  open: async (tables, { agentId, boundary: { only } }, sessionKey) => {
    const row = await tables.transcripts.find({ agentId, sessionKey })
    if (!row) return { state: 'gone' }
    const isForReader = only?.who === undefined && isWithinProject(row.project, only ?? {})
    if (!isForReader) return { state: 'hidden' }
    if (row.safety_status !== 'clean') return { state: 'unclean' }
    return {
      state: 'readable',
      projects: [row.project],
      sessionKey,
      isPrivate: true,
      stamp: `${row.body_id}:${row.messages}`,
      pieces: () => messagesOf(tables, row),
    }
  },
}

/** Summary nodes of sessions. A later capture of the session replaces the content. */
const summarySource: SourceReader = {
  kind: 'summary',
  open: async (tables, { agentId, boundary: { only } }, id) => {
    const row = await tables.summaryNodes.find(agentId, id)
    if (!row) return { state: 'gone' }
    const isForReader = only?.who === undefined && isWithinProject(row.project, only ?? {})
    if (!isForReader) return { state: 'hidden' }
    const isTellable = (await tables.summaryNodes.tellable([id])).has(id)
    if (!isTellable) return { state: row.safety_status === 'clean' ? 'forgotten' : 'unclean' }
    return {
      state: 'readable',
      projects: [row.project],
      sessionKey: row.session_key,
      isPrivate: true,
      stamp: row.content,
      pieces: () => [row.content],
    }
  },
}

/** Memories, including chunks of documents; their content never changes. */
const memorySource: SourceReader = {
  kind: 'memory',
  open: async (tables, { boundary }, id) => {
    const row = await tables.memories.find(id, boundary)
    if (!row) return { state: (await tables.memories.load([id])).length > 0 ? 'hidden' : 'gone' }
    if (row.is_deleted === 1) return { state: 'forgotten' }
    if (row.safety_status !== 'clean') return { state: 'unclean' }
    const further = row.further_holders > 0 ? ((await tables.holders.of([id])).get(id) ?? []) : []
    const told = [firstHolder(row), ...further].filter(holder => isVisibleTo(boundary, holder))
    return {
      state: 'readable',
      projects: told.map(({ project }) => project),
      sessionKey: row.session_id && sessionKeyOf(row.session_id),
      isPrivate: told.every(({ visibility }) => visibility === 'private'),
      stamp: row.content_hash,
      pieces: () => [row.content],
    }
  },
}

/** Files, messages and issues of sources, identified by artifact id. They have no project. */
const artifactSource: SourceReader = {
  kind: 'artifact',
  open: async (tables, { agentId, boundary }, id) => {
    const row = await tables.sourceArtifacts.ofAgent(agentId, id)
    if (!row) return { state: 'gone' }
    if (boundary.only) return { state: 'hidden' }
    if (row.safety_status !== 'clean') return { state: 'unclean' }
    const text = (await tables.sourceArtifacts.textOf(id)) ?? ''
    return {
      state: 'readable',
      projects: [null],
      sessionKey: null,
      isPrivate: true,
      stamp: row.content_hash,
      pieces: () => [text],
    }
  },
}

/** All kinds of sources that evidence may quote. */
const readers: readonly SourceReader[] = [memorySource, transcriptSource, summarySource, artifactSource]

export function sourceReaderOf(kind: SourceKind): SourceReader {
  return readers.find(reader => reader.kind === kind) as SourceReader
}

async function* messagesOf({ transcripts }: Tables, row: TranscriptRow): AsyncGenerator<string> {
  for (let from = 0; ; ) {
    const page = await transcripts.messages(row, from)
    if (page.length === 0) return
    for (const { text } of page) yield text
    from += page.length
  }
}
