import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'
import { otherTypes, stackedWeeks } from './stacked-weeks.js'

type Counts = Reply<'GET /api/memories/counts'>

/** The number of memories by type, and of new ones by week. @param changed increased by changes */
export function MemoriesByType({ changed }: { changed: number }) {
  const project = chosenProject.value
  const loaded = useLoaded(
    signal => call('GET /api/memories/counts', { query: { project } }, { signal }),
    [changed, project],
  )
  return (
    <Card title="Memories" loaded={loaded} isBroad>
      {({ total, by, weeks }) => (
        <>
          <p class="figure">
            <a class="quiet" href={addressOf('memories')}>
              {total.toLocaleString()}
            </a>
          </p>
          <ul class="line bare">
            {by.type.values.map(({ value, count }) => (
              <li key={value}>
                <a class="tag" href={addressOf('memories', [], { type: value })}>
                  {labelOf('memoryType', value)} {count.toLocaleString()}
                </a>
              </li>
            ))}
          </ul>
          {weeks.length > 1 && <Weeks weeks={weeks} />}
        </>
      )}
    </Card>
  )
}

/** Memories saved each week by type; the chart's code is loaded on demand. */
function Weeks({ weeks }: { weeks: Counts['weeks'] }) {
  const box = useRef<HTMLDivElement>(null)
  const stacks = useMemo(() => stackedWeeks(weeks), [weeks])
  useEffect(() => {
    const shown: { chart?: { destroy(): void } } = {}
    const left = new AbortController()
    import('./weeks-chart.js').then(({ weeksChart }) => {
      if (box.current && !left.signal.aborted) shown.chart = weeksChart(box.current, weeks, stacks)
    })
    return () => {
      left.abort()
      shown.chart?.destroy()
    }
  }, [weeks, stacks])
  const last = weeks.at(-1)
  const saved = Object.values(last?.types ?? {}).reduce((sum, count) => sum + count, 0)
  const caption = `Memories saved each week since ${weeks[0]?.week}; ${saved} in the week of ${last?.week}`
  return (
    <figure>
      <div ref={box} class="chart" role="img" aria-label={caption} />
      <figcaption class="dim line">
        Saved each week:
        {stacks.map(({ type, share }) => (
          <span key={type} class="swatch" style={{ '--share': `${100 * share}%` }}>
            {type === otherTypes ? 'other types' : labelOf('memoryType', type)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
