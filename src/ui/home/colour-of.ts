/** Resolves a CSS variable to a colour in the current scheme, because a canvas cannot use variables. */
export function colourOf(box: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
