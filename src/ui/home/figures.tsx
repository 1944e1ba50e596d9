import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { type Loaded, useLoaded } from '../api/loaded.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { useInterval } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'

type Days = Reply<'GET /api/analytics/days'>['days']
type Day = Days[number]

const everyMs = 15_000
const shownDays = 30

/** Saves, recalls, their share with results, their time and the tokens given, by day as charts. */
export function Figures({ changed }: { changed: number }) {
  const loaded = useLoaded(
    signal => call('GET /api/analytics/days', { query: { days: shownDays } }, { signal }),
    [useInterval(everyMs), changed],
  )
  const sumOf = (count: (day: Day) => number) =>
    loaded.value?.days.reduce((sum, day) => sum + count(day), 0) ?? 0
  const recalls = sumOf(day => day.recalls)
  return (
    <section class="stack" aria-label={`Last ${shownDays} days`}>
      <h2>Last {shownDays} days</h2>
      <div class="figures">
        <Figure title="Saved" loaded={loaded} countOf={day => day.saved} to={addressOf('memories')}>
          {sumOf(day => day.saved).toLocaleString()}
        </Figure>
        <Figure title="Recalls" loaded={loaded} countOf={day => day.recalls} to={addressOf('recall')}>
          {recalls.toLocaleString()}
        </Figure>
        <Figure
          title="Recalls with results"
          unit=" %"
          loaded={loaded}
          countOf={day => share(day.found, day.recalls)}
          to={addressOf('recall')}
        >
          {recalls === 0
            ? '–'
            : `${share(
                sumOf(day => day.found),
                recalls,
              )} %`}
        </Figure>
        <Figure
          title="Mean time of recalls"
          unit=" ms"
          loaded={loaded}
          countOf={day => mean(day.recallMs, day.recalls)}
          to={addressOf('operations', ['diagnostics'])}
        >
          {recalls === 0
            ? '–'
            : `${mean(
                sumOf(day => day.recallMs),
                recalls,
              ).toLocaleString()} ms`}
        </Figure>
        <Figure title="Tokens given" loaded={loaded} countOf={day => day.tokens} to={addressOf('sessions')}>
          {sumOf(day => day.tokens).toLocaleString()}
        </Figure>
      </div>
    </section>
  )
}

function share(part: number, of: number): number {
  return of === 0 ? 0 : Math.round((100 * part) / of)
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : Math.round(sum / count)
}

interface FigureProps {
  title: string
  unit?: string
  loaded: Loaded<{ days: Days }>
  countOf: (day: Day) => number
  /** The page that shows more. */
  to: string
  children: ComponentChildren
}

/** A number of the last days that leads to its page, with a bar for each day. */
function Figure({ title, unit = '', loaded, countOf, to, children }: FigureProps) {
  return (
    <Card title={title} loaded={loaded}>
      {({ days }) => (
        <>
          <p class="figure">
            <a class="quiet" href={to}>
              {children}
            </a>
          </p>
          {days.some(day => countOf(day) > 0) ? (
            <Bars title={title} unit={unit} days={days.map(({ day }) => day)} values={days.map(countOf)} />
          ) : (
            <p class="dim">Nothing yet</p>
          )}
        </>
      )}
    </Card>
  )
}

interface BarsProps {
  title: string
  unit: string
  days: readonly string[]
  values: readonly number[]
}

/** The chart's code is loaded on demand. */
function Bars({ title, unit, days, values }: BarsProps) {
  const box = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number>()
  const key = `${days.at(-1)} ${values.join(' ')}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the days and values
  useEffect(() => {
    const made: { chart?: { destroy(): void } } = {}
    const left = new AbortController()
    import('./day-chart.js').then(({ dayChart }) => {
      if (box.current && !left.signal.aborted) made.chart = dayChart(box.current, days, values, setPointed)
    })
    return () => {
      left.abort()
      made.chart?.destroy()
    }
  }, [key])
  const at = pointed ?? values.length - 1
  const told = `${pointed === undefined ? 'today' : days[at]} ${(values[at] ?? 0).toLocaleString()}${unit}`
  return (
    <figure>
      <div
        ref={box}
        class="spark"
        role="img"
        aria-label={`${title} in the last ${days.length} days; ${told}`}
      />
      <figcaption class="dim clip">{told}</figcaption>
    </figure>
  )
}

interface CardProps<T> {
  title: string
  isBroad?: boolean
  loaded: Loaded<T>
  children: (value: T) => ComponentChildren
}

/** A box with a loaded value or its error. */
export function Card<T>({ title, isBroad = false, loaded, children }: CardProps<T>) {
  return (
    <section class={isBroad ? 'card broad' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {loaded.value === undefined && !loaded.error && <Loading />}
      {loaded.value !== undefined && children(loaded.value)}
    </section>
  )
}
