import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

interface Week {
  week: string
  types: Readonly<Record<string, number>>
}

const height = 150
/** Seconds: half a bar stands before its day. */
const halfWeek = 302_400

/** Bars of what was saved each week, as wide as its box. */
export function weeksChart(box: HTMLElement, weeks: readonly Week[]): { destroy(): void } {
  const style = getComputedStyle(box)
  const [accent, dim, line] = ['--accent', '--dim', '--line'].map(name => colourOf(box, name))
  const axis = { stroke: dim ?? '', grid: { stroke: line ?? '', width: 1 }, ticks: { show: false } }
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
        {
          label: 'saved',
          fill: accent ?? '',
          stroke: accent ?? '',
          points: { show: false },
          ...(bars && { paths: bars }),
        },
      ],
    },
    [
      weeks.map(({ week }) => Date.parse(week) / 1000),
      weeks.map(({ types }) => Object.values(types).reduce((sum, count) => sum + count, 0)),
    ],
    box,
  )
  const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
  watch.observe(box)
  return {
    destroy: () => {
      watch.disconnect()
      chart.destroy()
    },
  }
}

/** A canvas knows no variables of styles: what one stands for now, by the scheme that is shown. */
function colourOf(box: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
