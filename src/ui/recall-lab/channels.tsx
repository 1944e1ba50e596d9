import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { Check } from '../parts/fields.js'

export type Channel = NonNullable<Reply<'POST /api/memory/recall'>['meta']['channels']>[number]

const channels: readonly Channel[] = ['keyword', 'hints', 'vector', 'claims', 'traversal']

/** Parses channels from the address; undefined stands for those of the settings. */
export function channelsIn(text: string | undefined): Channel[] | undefined {
  const named = text?.split(',') ?? []
  const known = channels.filter(channel => named.includes(channel))
  return known.length > 0 ? known : undefined
}

/** Returns the disabled channels. */
export function channelsOff(on: readonly Channel[]): Channel[] {
  return channels.filter(channel => !on.includes(channel))
}

interface ChannelsProps {
  on: readonly Channel[]
  /** True if they equal those of the settings. */
  isUsual: boolean
  /** @param on undefined for those of the settings. */
  onChange: (on: Channel[] | undefined) => void
}

/** Switches for the channels of this query; the last active one cannot be disabled. */
export function Channels({ on, isUsual, onChange }: ChannelsProps) {
  return (
    <fieldset class="line channels">
      <legend>Channels</legend>
      {channels.map(channel => (
        <Check
          key={channel}
          checked={on.includes(channel)}
          disabled={on.length === 1 && on.includes(channel)}
          onChange={isOn => onChange(channels.filter(one => (one === channel ? isOn : on.includes(one))))}
        >
          {labelOf('channel', channel)}
        </Check>
      ))}
      {!isUsual && (
        <button type="button" class="plain" onClick={() => onChange(undefined)}>
          Use configured channels
        </button>
      )}
    </fieldset>
  )
}
