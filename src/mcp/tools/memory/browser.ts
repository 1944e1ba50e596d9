import type { z } from 'zod'
import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/tools.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { listedContent, maxListedContent, readOfListed } from '../../tool/memory-text.js'
import { type Call, type Tool, tool } from '../../tool/tool.js'
import { memoryTools } from './memory.js'

const maxTags = 1000

/** The tool that opens the browser of memories in clients that show HTML; the browser itself calls it too. */
export const memoryBrowse = tool({
  name: 'memory_browse',
  title: 'Browse memories',
  description:
    'Show the user a browser of memories, where they search, open, pin and forget them. ' +
    'Use it when they want to see or tidy up what is remembered. To find something yourself, use memory_search.',
  tier: 'extra',
  effect: 'reads',
  input: contract.memoryBrowseInput,
  output: contract.memoryBrowseOutput,
  run: async (call, { query, project, limit }) => {
    const { memories, total } = query
      ? await found(call, { query, project, limit })
      : await newest(call, { project, limit })
    const count = countOf(total, 'memory', 'memories')
    const text = `The user sees the browser of memories, with ${memories.length} of ${count}.`
    return { text, data: { memories, total } }
  },
})

type Choice = Omit<z.infer<typeof contract.memoryBrowseInput>, 'query'>

async function found(call: Call, body: Choice & { query: string }) {
  const { results } = await call('POST /api/memory/recall', { body })
  const memories = results.map(row => rowOf(row, oneLine(row.content, maxListedContent)))
  return { memories, total: memories.length }
}

/** Texts that recall would hide stay hidden. */
async function newest(call: Call, choice: Choice) {
  const query = { ...choice, maxContent: readOfListed }
  const { memories, matching } = await call('GET /api/memories', { query })
  const rows = memories.map(memory => {
    const row = rowOf(memory, listedContent(memory, maxListedContent))
    return memory.contentSafety.status === 'clean' ? row : { ...row, tags: '' }
  })
  return { memories: rows, total: matching }
}

const memoryPin = tool({
  name: 'memory_pin',
  title: 'Pin a memory',
  description:
    'Pin a memory, which then never loses weight with age, or unpin it. For the browser of memories.',
  tier: 'extra',
  effect: 'adds',
  input: contract.memoryPinInput,
  output: contract.memoryChangeOutput,
  run: async (call, { id, pinned }) => {
    const reason = pinned ? 'pinned in the browser of memories' : 'unpinned in the browser of memories'
    const { status } = await call('PATCH /api/memory/:id', { params: { id }, body: { pinned, reason } })
    return { text: pinned ? `Pinned ${id}.` : `Unpinned ${id}.`, data: { id, status } }
  },
})

/** Tools of the browser that a set may lack: its own, and the undo of forgetting. */
export const browserTools: readonly Tool[] = [
  memoryBrowse,
  memoryPin,
  ...memoryTools.filter(({ name }) => name === 'memory_recover'),
]

type Row = Pick<
  Reply<'GET /api/memories'>['memories'][number],
  'id' | 'type' | 'tags' | 'pinned' | 'project' | 'who' | 'created_at'
>

function rowOf({ id, type, tags, pinned, project, who, created_at }: Row, content: string) {
  return { id, content, type, tags: label(tags, maxTags), pinned: pinned === 1, project, who, created_at }
}
