import type { SourceReader } from './source.js'

/** Files, messages and issues of sources, by the id of the artifact. They have no project. */
export const artifactSource: SourceReader = {
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
