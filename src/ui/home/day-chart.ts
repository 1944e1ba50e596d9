import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colourOf, watchColours } from '../parts/colours.js'

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

/** Keeps a chart as wide as its box and in the colours of the scheme. @returns what ends both */
export function fitted(box: HTMLElement, chart: UPlot, height: number): { destroy(): void } {
  const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
  watch.observe(box)
  // The series and axes read their colours at each drawing.
  const stopWatching = watchColours(box, () => chart.redraw(false))
  return {
    destroy: () => {
      stopWatching()
      watch.disconnect()
      chart.destroy()
    },
  }
}
