import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import type { Channel } from './channels.js'
import { waterfallOf } from './waterfall-of.js'

type Explain = NonNullable<Reply<'POST /api/memory/recall'>['results'][number]['explain']>

interface WaterfallProps {
  explain: Explain
  isOpen: boolean
  /** Disabled channels. */
  off: readonly Channel[]
}

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
