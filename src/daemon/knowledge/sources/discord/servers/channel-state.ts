import { type ChannelState, channelState } from '../../../../../contract/knowledge/sources/discord.js'
import type { SourceEvent } from '../../core/kind.js'
import type { GuildPass } from './reading.js'
import { compareIds } from './snowflake.js'

const keyOf = (channel: string): string => `channel:${channel}`

/** Loads how far a channel was read; starts over if its messages would be rendered differently now. */
export async function loadState(
  { pass, states }: Pick<GuildPass, 'pass' | 'states'>,
  channel: string,
  shape: string,
): Promise<ChannelState> {
  const fresh = { shape, newest: null, listedAt: null, listedIn: null, walk: null }
  const kept = states.get(channel) ?? parseState(await pass.checkpoint(keyOf(channel)))
  return kept?.shape === shape ? kept : fresh
}

/** Stores how far a channel was read. */
export function storeState(
  { states }: Pick<GuildPass, 'states'>,
  channel: string,
  state: ChannelState,
): SourceEvent {
  states.set(channel, state)
  const isPartial = state.walk !== null
  return { event: 'checkpoint', key: keyOf(channel), value: JSON.stringify(state), isPartial }
}

/** Deletes the state of a removed channel. */
export function dropState({ states }: Pick<GuildPass, 'states'>, channel: string): SourceEvent {
  states.delete(channel)
  return { event: 'checkpoint', key: keyOf(channel), value: null }
}

/** Advances the state for a live message, provided that everything older was read. */
export async function* noteNewest(
  reading: Pick<GuildPass, 'pass' | 'states'>,
  { channel, shape, message }: { channel: string; shape: string; message: string },
): AsyncGenerator<SourceEvent> {
  const state = await loadState(reading, channel, shape)
  const isRead = state.newest !== null && state.walk === null
  if (isRead && compareIds(message, state.newest ?? '') > 0)
    yield storeState(reading, channel, { ...state, newest: message })
}

function parseState(text: string | undefined): ChannelState | undefined {
  return text === undefined ? undefined : channelState.safeParse(JSON.parse(text)).data
}
