import type UPlot from 'uplot'
import { watchColours } from '../drawing/colours.js'

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
