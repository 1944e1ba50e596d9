/** Resolves a CSS variable to a colour in the current scheme, because a canvas cannot use variables. */
export function colourOf(box: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Calls back after a change of the colour scheme, by the system or an attribute of the document. */
export function watchColours(box: HTMLElement, changed: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const attributes = new MutationObserver(changed)
  attributes.observe(box.ownerDocument.documentElement, { attributes: true })
  scheme.addEventListener('change', changed)
  return () => {
    attributes.disconnect()
    scheme.removeEventListener('change', changed)
  }
}
