import type { MemoryPreview } from '../../../contract/sessions/hooks.js'
import { clip } from '../../../lib/text/clip.js'
import { harmless } from '../../../lib/text/harmless.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { ScoredMemory } from '../../../store/tables/memory/memory-scores.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import type { Section } from './compose-context.js'

/** Maximum characters of a memory shown to a session; memory_get returns the rest. */
const maxPreview = 500
/** Characters read for a preview, private spans included. */
const maxRead = 8000

export interface ScoreOptions {
  limit: number
  recencyBias: number
  /** True when earlier sessions are shown too; compactions then appear there. */
  continuity?: boolean
  /** Ids already in the session's context. */
  shown: ReadonlySet<string>
}

/** A candidate memory for a session's start, with its score. */
export interface BestMemory {
  preview: MemoryPreview
  score: number
  isPinned: boolean
}

/** Returns the best memories that the session's agent may read, as previews (rules.md 2.4 and 4.12). */
export async function bestMemories(
  deps: Pick<Daemon, 'store' | 'clock' | 'projects'>,
  caller: Caller,
  { agentId, project, repository, name }: HookSession,
  { limit, recencyBias, continuity = false, shown }: ScoreOptions,
): Promise<BestMemory[]> {
  const boundary = await readBoundary(deps, caller, { agentId, project })
  const rows = await deps.store.tables.memories.best({
    boundary,
    project,
    recencyBias,
    limit,
    branches: await deps.projects.branches.filterFor(project, repository),
    except: [...shown],
    withoutCompactions: continuity && project !== null ? 'all' : { of: name?.sessionKey },
    now: deps.clock().toISOString(),
    maxContent: maxRead,
  })
  return rows
    .map(row => ({ preview: previewOf(row), score: row.score, isPinned: row.pinned === 1 }))
    .filter(({ preview }) => preview.content !== '')
}

function previewOf(row: ScoredMemory): MemoryPreview {
  const { id, type, importance, created_at, tags, project, source_type, source_id } = row
  const content = withoutPrivate(row.content).trim()
  const truncated = content.length > maxPreview || row.characters > maxRead
  return {
    id,
    // Every session of every agent gets this text, so anything that looks like a credential is removed here.
    content: clip(withoutSecrets(beginningOf(content, maxPreview)), maxPreview),
    type,
    importance,
    created_at,
    tags,
    project,
    source_type,
    source_id,
    truncated,
  }
}

export function memorySection(memories: readonly MemoryPreview[]): Section {
  return {
    name: 'memories',
    heading: '## Memories',
    records: memories.map(({ id, content, type, created_at, truncated }) => {
      const more = truncated ? ', shortened' : ''
      const line = oneLine(content, maxPreview)
      return harmless(`- [${type}, ${created_at.slice(0, 10)}] ${line} (id ${label(id)}${more})`)
    }),
  }
}
