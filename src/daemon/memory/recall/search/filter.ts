import {
  type RecallBody,
  type RecallChannel,
  type RecallFilters,
  recallChannels,
} from '../../../../contract/memory/memory.js'
import type { MemoryEntryFilter } from '../../../../store/index/collections.js'
import { nothingPacked, type PackedHits } from '../../../../store/index/packed/packed-hits.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Projects } from '../../../ground/projects/projects.js'
import type { GraphReader } from './find-paths.js'

/** Channels of a trial; undefined means those of the settings (recall.md#trials). */
export type Channels = ReadonlySet<RecallChannel> | undefined

export const switchedOff = 'disabled for this trial'

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

export function isOn(channels: Channels, channel: RecallChannel): boolean {
  return channels?.has(channel) ?? true
}

/** Returns the words for the index; none when both word channels are off. */
export function wordsFor(
  channels: Channels,
  { query, keywordQuery }: Pick<RecallBody, 'query' | 'keywordQuery'>,
): string {
  if (!isOn(channels, 'keyword') && !isOn(channels, 'hints')) return ''
  return keywordQuery?.trim() || query
}

/** Removes hits of disabled channels. The index searches words once for both word channels. */
export function keepEnabledChannels(channels: Channels, hits: PackedHits): PackedHits {
  if (!channels) return hits
  const { scores } = nothingPacked
  const noWords = { keyword: nothingPacked, expansion: scores, coverage: scores, occurrences: scores }
  return {
    ...hits,
    ...(!channels.has('keyword') && { ...noWords, sessions: nothingPacked }),
    ...(!channels.has('hints') && { hints: nothingPacked }),
  }
}

/** Lists the channels that a recall uses. */
export function channelsInForce(
  channels: readonly RecallChannel[] | null | undefined,
  graph: GraphReader | undefined,
): RecallChannel[] {
  if (channels) return recallChannels.filter(channel => channels.includes(channel))
  const known = { claims: graph?.claims ?? false, traversal: graph?.traversal ?? false }
  return recallChannels.filter(channel => known[channel as keyof typeof known] ?? true)
}
