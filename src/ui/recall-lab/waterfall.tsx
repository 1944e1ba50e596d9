import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { Check } from '../parts/fields.js'
import { waterfallOf } from './waterfall-of.js'

type Explain = NonNullable<Reply<'POST /api/memory/recall'>['results'][number]['explain']>

interface WaterfallProps {
  explain: Explain
  isOpen: boolean
  /** Disabled channels. */
  off: readonly Channel[]
}

export type Channel = NonNullable<Reply<'POST /api/memory/recall'>['meta']['channels']>[number]

const channels: readonly Channel[] = ['keyword', 'hints', 'vector', 'claims', 'traversal']

/** The steps of a score: additions and multiplications. */
export function Waterfall({ explain, isOpen, off }: WaterfallProps) {
  const steps = waterfallOf(explain.contributions)
  const largest = Math.max(
    explain.evidence,
    ...steps.map(({ from, to }) => Math.max(from, to)),
    Number.EPSILON,
  )
  const percent = (value: number): string => `${(100 * value) / largest}%`
  return (
    <details open={isOpen}>
      <summary>Why</summary>
      <ol class="waterfall">
        {steps.map(({ step, effect, value, from, to }) => (
          <li key={step}>
            <span class="clip" title={step}>
              {labelOf('rankingStep', step)}
            </span>
            <span class="bar" aria-hidden="true">
              <span
                class={to >= from ? 'more' : 'less'}
                style={{ left: percent(Math.min(from, to)), width: percent(Math.abs(to - from)) }}
              />
            </span>
            <span class="value">
              {effect === 'add' ? '+' : '×'} {value.toFixed(3)}
            </span>
          </li>
        ))}
        {off.map(channel => (
          <li key={channel} class="dim">
            <span class="clip" title={channel}>
              {labelOf('rankingStep', channel)}
            </span>
            <span class="bar" aria-hidden="true" />
            <span class="value">off</span>
          </li>
        ))}
      </ol>
      <p class="dim" title={explain.formula}>
        Evidence {explain.evidence.toFixed(3)}. The best result scores the confidence of the whole answer;
        others lose with their distance to it.
      </p>
    </details>
  )
}

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
