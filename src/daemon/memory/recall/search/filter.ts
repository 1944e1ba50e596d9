import type { RecallFilters } from '../../../../contract/memory/memory.js'
import type { MemoryEntryFilter } from '../../../../store/index/collections/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Projects } from '../../../ground/projects/projects.js'

/**
 * Converts a recall's filters for the store; without a scope, only unscoped rows match (recall.md 1.3.3 and
 * 1.3.4).
 */
export function toFilter(body: RecallFilters): MemoryFilter {
  return {
    ...namedFilter(body),
    scope: body.scope ?? null,
    ...(body.pinned != null && { pinned: body.pinned }),
    ...(body.importance_min != null && { importanceMin: body.importance_min }),
    ...(body.sessionId && { sessionId: body.sessionId }),
    ...(body.branch && { branch: body.branch }),
  }
}

/** Filters shared by recall and forget; an empty value does not restrict. */
export function namedFilter(
  body: Pick<RecallFilters, 'type' | 'tags' | 'who' | 'project' | 'since' | 'until'>,
): MemoryFilter {
  return {
    ...(body.type && { types: [body.type].flat() }),
    ...(body.tags && { tags: body.tags }),
    ...(body.who && { who: body.who }),
    ...(body.project && { project: body.project }),
    ...(body.since && { since: body.since }),
    ...(body.until && { until: body.until }),
  }
}

/** True when a filter uses fields that only memories have; then no other rows are returned. */
export function isMemoriesOnly(filter: MemoryFilter): boolean {
  const { types, tags, who, pinned, importanceMin, sessionId, branch, time, document } = filter
  const named = [types, tags, who, pinned, importanceMin, sessionId, branch, time, document]
  return named.some(value => value !== undefined)
}

/** The index narrows as far as it can; SQL decides. Rows of all agents in a group are candidates. */
export function toIndexFilter(
  { agents, globalOf, only = {} }: ReadBoundary,
  {
    since,
    until,
    time: _inSql,
    sessionId: _inSqlToo,
    document: _alsoInSql,
    branch: _inSqlAlone,
    branches: _inSqlAsWell,
    kind: _inListsOnly,
    project,
    ...filter
  }: MemoryFilter,
  projects: Pick<Projects, 'keysOf'>,
): MemoryEntryFilter {
  return {
    ...filter,
    ...(project !== undefined && { projects: projects.keysOf(project) }),
    ...(only.project !== undefined && { projects: projects.keysOf(only.project), orNoProject: undefined }),
    ...(only.who !== undefined && { who: only.who }),
    agents: globalOf === 'all' ? agents : [...agents, ...globalOf],
    includeGlobal: globalOf === 'all',
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  }
}
