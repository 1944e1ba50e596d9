import type { Reply } from '../../contract/api.js'
import { Check } from '../parts/fields/field.js'

export type Channel = NonNullable<Reply<'POST /api/memory/recall'>['meta']['channels']>[number]

/** Every channel, by what people call it. */
export const channelWords = {
  keyword: 'words',
  hints: 'hints',
  vector: 'meaning',
  claims: 'claims of what is named',
  traversal: 'what is linked to it',
} as const satisfies Record<Channel, string>

const channels = Object.keys(channelWords) as Channel[]

/** As they stand in the address; undefined: those of the settings. */
export function channelsIn(text: string | undefined): Channel[] | undefined {
  const named = text?.split(',') ?? []
  const known = channels.filter(channel => named.includes(channel))
  return known.length > 0 ? known : undefined
}

/** Those that are off. */
export function channelsOff(on: readonly Channel[]): Channel[] {
  return channels.filter(channel => !on.includes(channel))
}

interface ChannelsProps {
  on: readonly Channel[]
  /** Whether they are those of the settings. */
  isUsual: boolean
  /** @param on undefined: those of the settings. */
  onChange: (on: Channel[] | undefined) => void
}

/** What may lead to a memory, each to be switched off and on for this question; the last one stays. */
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
          {channelWords[channel]}
        </Check>
      ))}
      {!isUsual && (
        <button type="button" class="plain" onClick={() => onChange(undefined)}>
          As the settings say
        </button>
      )}
    </fieldset>
  )
}
