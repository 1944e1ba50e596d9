import type { Reply } from '../../contract/api.js'

type ListedMemory = Reply<'GET /api/memories'>['memories'][number]
type RecallRow = Reply<'POST /api/memory/recall'>['results'][number]

export type MemoryRecord = Reply<'GET /api/memory/:id'>

/** A row of the memory list. */
export interface MemoryLine {
  id: string
  content: string
  type: string
  tags: readonly string[]
  pinned: boolean
  who: string | null
  project: string | null
  createdAt: string
  safety: string
  /** Only in search results. */
  score?: number
}

export function lineOfListed(memory: ListedMemory): MemoryLine {
  return { ...shared(memory), safety: memory.contentSafety.status }
}

export function lineOfRecalled(memory: RecallRow): MemoryLine {
  return { ...shared(memory), safety: 'clean', score: memory.score }
}

export function tagsOf(text: string): string[] {
  return text
    .split(',')
    .map(tag => tag.trim())
    .filter(Boolean)
}

function shared(
  memory: Pick<
    ListedMemory,
    'id' | 'content' | 'type' | 'tags' | 'pinned' | 'who' | 'project' | 'created_at'
  >,
) {
  const { id, content, type, tags, pinned, who, project, created_at: createdAt } = memory
  return { id, content, type, tags: tagsOf(tags), pinned: pinned === 1, who, project, createdAt }
}
