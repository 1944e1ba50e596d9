import type { Collection, Entry } from '../collection.js'

/** Index entry of one chunk of a transcript. */
export interface TranscriptEntry extends Entry {
  agentId: string
  project: string | null
}

/** Chunks of one agent, optionally of one project. */
export interface TranscriptEntryFilter {
  agentId: string
  /** All keys of a project. */
  projects?: readonly string[]
}

/** Session transcripts, searched by words only. */
export const transcripts: Collection<TranscriptEntry, TranscriptEntryFilter> = {
  schema: { name: 'transcripts', hints: false, columns: { agentId: 'value', project: 'value' } },
  where: filter =>
    filter
      ? {
          agentId: { eq: filter.agentId },
          ...(filter.projects && { project: { in: filter.projects } }),
        }
      : {},
}
