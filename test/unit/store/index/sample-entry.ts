import type { MemoryEntry } from '../../../../src/store/index/collections.js'

/** Returns a memory of agent `a` with the given text; `rest` overrides other fields. */
export function sampleEntry(id: string, content: string, rest: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    id,
    change: 1,
    content,
    hints: [],
    type: 'fact',
    tags: [],
    who: null,
    project: null,
    scope: null,
    agentId: 'a',
    visibility: 'private',
    pinned: false,
    importance: 0.5,
    createdAt: 0,
    session: null,
    ...rest,
  }
}
