/** Resolves a CSS variable to a colour in the current scheme, because a canvas cannot use variables. */
export function colourOf(box: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Keeps a chart as wide as its box. @returns what ends both */
export function fitted(
  box: HTMLElement,
  chart: { setSize(size: { width: number; height: number }): void; destroy(): void },
  height: number,
): { destroy(): void } {
  const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
  watch.observe(box)
  return {
    destroy: () => {
      watch.disconnect()
      chart.destroy()
    },
  }
}
