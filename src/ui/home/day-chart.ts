import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf } from '../drawing/colours.js'
import { fitted } from './chart-box.js'

const height = 48

/**
 * Draws a bar for each day, as wide as the box.
 * @param onPoint gets the position of the day under the pointer; undefined when it leaves
 */
export function dayChart(
  box: HTMLElement,
  days: readonly string[],
  values: readonly number[],
  onPoint: (position: number | undefined) => void,
): { destroy(): void } {
  const bars = UPlot.paths.bars?.({ size: [0.6, 24] })
  const chart = new UPlot(
    {
      width: box.clientWidth,
      height,
      padding: [2, 0, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { setScale: false } },
      scales: {
        x: { time: false, range: () => [-0.5, days.length - 0.5] },
        y: { range: (_chart, _min, max) => [0, Math.max(1, max)] },
      },
      axes: [{ show: false }, { show: false }],
      series: [
        {},
        {
          fill: () => colourOf(box, 'var(--accent)'),
          points: { show: false },
          ...(bars && { paths: bars }),
        },
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [days.map((_day, position) => position), [...values]],
    box,
  )
  return fitted(box, chart, height)
}
