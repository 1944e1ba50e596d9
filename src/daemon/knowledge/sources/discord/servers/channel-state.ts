import {
  type ChannelState,
  channelState,
} from '../../../../../contract/knowledge/sources/discord-progress.js'
import type { SourceEvent } from '../../core/kind.js'
import type { Reading } from './reading.js'
import { compareIds } from './snowflake.js'

const keyOf = (channel: string): string => `channel:${channel}`

/** How far a channel was read in earlier passes; a new beginning where its messages would be told otherwise now. */
export async function loadState(
  { pass, states }: Pick<Reading, 'pass' | 'states'>,
  channel: string,
  shape: string,
): Promise<ChannelState> {
  const fresh = { shape, newest: null, listedAt: null, listedIn: null, walk: null }
  const kept = states.get(channel) ?? parsed(await pass.checkpoint(keyOf(channel)))
  return kept?.shape === shape ? kept : fresh
}

/** Keeps how far a channel is read. */
export function keepState(
  { states }: Pick<Reading, 'states'>,
  channel: string,
  state: ChannelState,
): SourceEvent {
  states.set(channel, state)
  const isPartial = state.walk !== null
  return { event: 'checkpoint', key: keyOf(channel), value: JSON.stringify(state), isPartial }
}

/** A channel that is gone is not read any more. */
export function dropState({ states }: Pick<Reading, 'states'>, channel: string): SourceEvent {
  states.delete(channel)
  return { event: 'checkpoint', key: keyOf(channel), value: null }
}

/** A message that came in the tail: what is below it was read before. */
export async function* noteNewest(
  reading: Pick<Reading, 'pass' | 'states'>,
  { channel, shape, message }: { channel: string; shape: string; message: string },
): AsyncGenerator<SourceEvent> {
  const state = await loadState(reading, channel, shape)
  const isRead = state.newest !== null && state.walk === null
  if (isRead && compareIds(message, state.newest ?? '') > 0)
    yield keepState(reading, channel, { ...state, newest: message })
}

function parsed(text: string | undefined): ChannelState | undefined {
  return text === undefined ? undefined : channelState.safeParse(JSON.parse(text)).data
}
