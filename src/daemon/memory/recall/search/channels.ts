import { type RecallBody, type RecallChannel, recallChannels } from '../../../../contract/memory/memory.js'
import { nothingPacked, type PackedHits } from '../../../../store/index/packed/packed-hits.js'
import type { GraphReader } from './find-paths.js'

/** Channels of a trial; undefined means those of the settings (recall.md#trials). */
export type Channels = ReadonlySet<RecallChannel> | undefined

export const switchedOff = 'disabled for this trial'

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
