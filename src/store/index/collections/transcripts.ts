import type { Collection, Entry } from '../collection.js'

/** What the index knows of one chunk of a transcript. */
export interface TranscriptEntry extends Entry {
  agentId: string
  project: string | null
}

/** Chunks of one agent, and of one project if that is named. */
export interface TranscriptEntryFilter {
  agentId: string
  /** All keys of a project. */
  projects?: readonly string[]
}

/** What was said in sessions, by words alone. */
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
