import { type RecallBody, type RecallChannel, recallChannels } from '../../../../contract/memory/memory.js'
import { nothingPacked, type PackedHits } from '../../../../store/index/packed/packed-hits.js'
import type { GraphReader } from './graph/find-paths.js'

/** The channels that a trial goes by; undefined: those that the settings say (recall.md#trials). */
export type Channels = ReadonlySet<RecallChannel> | undefined

export const switchedOff = 'switched off for this trial'

export function isOn(channels: Channels, channel: RecallChannel): boolean {
  return channels?.has(channel) ?? true
}

/** The words that the index is asked for: none where no channel takes them. */
export function wordsFor(
  channels: Channels,
  { query, keywordQuery }: Pick<RecallBody, 'query' | 'keywordQuery'>,
): string {
  if (!isOn(channels, 'keyword') && !isOn(channels, 'hints')) return ''
  return keywordQuery?.trim() || query
}

/** Hits without what channels that are off found. Words are searched at once for both of theirs. */
export function onlyOf(channels: Channels, hits: PackedHits): PackedHits {
  if (!channels) return hits
  const { scores } = nothingPacked
  const noWords = { keyword: nothingPacked, expansion: scores, coverage: scores, occurrences: scores }
  return {
    ...hits,
    ...(!channels.has('keyword') && { ...noWords, sessions: nothingPacked }),
    ...(!channels.has('hints') && { hints: nothingPacked }),
  }
}

/** Those that a recall goes by. */
export function channelsInForce(
  channels: readonly RecallChannel[] | null | undefined,
  graph: GraphReader | undefined,
): RecallChannel[] {
  if (channels) return recallChannels.filter(channel => channels.includes(channel))
  const known = { claims: graph?.claims ?? false, traversal: graph?.traversal ?? false }
  return recallChannels.filter(channel => known[channel as keyof typeof known] ?? true)
}
