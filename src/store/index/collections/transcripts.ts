import type { Collection, Entry, Where } from '../collection.js'

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
  /** With `projects`, also chunks of no project; without, only these. */
  orNoProject?: true
}

/** Session transcripts, searched by words only. */
export const transcripts: Collection<TranscriptEntry, TranscriptEntryFilter> = {
  schema: { name: 'transcripts', hints: false, columns: { agentId: 'value', project: 'value' } },
  where: filter => (filter ? { and: [{ agentId: { eq: filter.agentId } }, inProject(filter)] } : {}),
}

function inProject({ projects, orNoProject }: TranscriptEntryFilter): Where<TranscriptEntry> {
  const named: Where<TranscriptEntry> = projects ? { project: { in: projects } } : {}
  if (!orNoProject) return named
  const none: Where<TranscriptEntry> = { project: { exists: false } }
  return projects ? { or: [named, none] } : none
}
