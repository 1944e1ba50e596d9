import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf } from '../parts/colours.js'
import { fitted } from './day-chart.js'
import type { Stack, Week } from './stacked-weeks.js'

const height = 150
/** In seconds; half of a bar is before its day. */
const halfWeek = 302_400

/** Draws bars of the memories saved each week by type, as wide as the box. */
export function weeksChart(
  box: HTMLElement,
  weeks: readonly Week[],
  stacks: readonly Stack[],
): { destroy(): void } {
  const style = getComputedStyle(box)
  const variable = (name: string) => () => colourOf(box, `var(${name})`)
  // Draws from the top segment down: each lower one covers the bottom part of the previous bar.
  const drawn = [...stacks].reverse()
  const axis = {
    stroke: variable('--dim'),
    grid: { stroke: variable('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  const chart = new UPlot(
    {
      width: box.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_chart, min, max) => [min - halfWeek, max + halfWeek] },
        y: { range: (_chart, _min, max) => [0, Math.max(1, max)] },
      },
      axes: [
        { ...axis, font: `12px ${style.fontFamily}` },
        {
          ...axis,
          font: `12px ${style.fontFamily}`,
          incrs: [1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000, 20_000],
        },
      ],
      series: [
        {},
        ...drawn.map(({ type, share }) => ({
          label: type,
          fill: () => colourOf(box, `color-mix(in srgb, var(--accent) ${100 * share}%, var(--raised))`),
          stroke: variable('--accent'),
          points: { show: false },
          ...(bars && { paths: bars }),
        })),
      ],
    },
    [weeks.map(({ week }) => Date.parse(week) / 1000), ...drawn.map(({ tops }) => [...tops])],
    box,
  )
  return fitted(box, chart, height)
}
