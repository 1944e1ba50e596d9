import * as contract from '../../../contract/mcp/knowledge.js'
import { label, oneLine, trail } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

/** Most passages are shorter. */
const maxPassage = 1500

const sourceSearch = tool({
  name: 'service_source_search',
  title: 'Search documents',
  description: 'Search documents, web pages and other sources, without memories.',
  tier: 'extra',
  effect: 'reads',
  input: contract.sourceSearchInput,
  output: contract.sourceSearchOutput,
  run: async (call, { source_id, agent_id, ...body }) => {
    const found = await call('POST /api/sources/search', {
      body: { ...body, sourceId: source_id, agentId: agent_id },
    })
    const passages = found.results.map(({ content, title, heading, page, sourcePath, sourceId }, rank) => {
      const place = trail([title ?? sourcePath, heading, page])
      const origin = [`source ${label(sourceId)}`, label(sourcePath ?? '')].filter(Boolean).join(', ')
      return `${rank + 1}. [${label(place)}] ${oneLine(content, maxPassage)}\n   (${origin})`
    })
    const text = passages.length > 0 ? passages.join('\n') : 'No matching passages.'
    return { text, data: found }
  },
})

/** Tools on passages of sources (mcp.md 4.9). */
export const sourceTools: readonly Tool[] = [sourceSearch]
