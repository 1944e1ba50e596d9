import type { Reply } from '../../../../contract/api.js'
import type { TieKind } from '../../../../contract/memory/tie-words.js'
import { readBoundary } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

type MovedMemory = Reply<'GET /api/code/moved'>['memories'][number]

/** Lists visible memories whose tied code changed, most recently noticed first (code-index.md 11). */
export async function movedMemories(
  deps: Pick<Daemon, 'store' | 'configuration'>,
  caller: Caller,
  query: { limit: number; agentId?: string | null | undefined; agent_id?: string | null | undefined },
): Promise<Reply<'GET /api/code/moved'>> {
  const boundary = await readBoundary(deps, caller, query)
  const memories = new Map<string, MovedMemory>()
  for (const tie of await deps.store.tables.codeTies.movedTies(boundary, query.limit)) {
    const { memory_id: id, root: project, kind, target, path, state, moved_at: since, content } = tie
    const known = memories.get(id) ?? { id, content, project, moved: [] }
    known.moved.push({
      kind: kind as TieKind,
      target,
      path,
      state: state === 'gone' ? 'gone' : 'changed',
      since: since ?? '',
    })
    memories.set(id, known)
  }
  return { memories: [...memories.values()], count: memories.size }
}
