import type { SourceReader } from './source.js'

/** Summary nodes of sessions. A node takes the content of a later capture of its session. */
export const summarySource: SourceReader = {
  kind: 'summary',
  open: async (tables, { agentId, boundary: { only } }, id) => {
    const row = await tables.summaryNodes.find(agentId, id)
    if (!row) return { state: 'gone' }
    const isForReader =
      only?.who === undefined && (only?.project === undefined || row.project === only.project)
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
