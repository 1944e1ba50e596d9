import type Sigma from 'sigma'

interface Disc {
  x: number
  y: number
  radius: number
  colour: string
  /** Undefined if its name is not shown. */
  label: string | undefined
}

interface Line {
  from: { x: number; y: number }
  to: { x: number; y: number }
  colour: string
  width: number
}

/** The visible part of a graph, in pixels. */
export interface Picture {
  width: number
  height: number
  ground: string
  text: string
  font: string
  lines: readonly Line[]
  discs: readonly Disc[]
}

type Colours = Pick<Picture, 'ground' | 'text' | 'font'>

/** Size of names in pixels. */
export const labelSize = 13
/** Pixels of a file per pixel of the page. */
const sharpness = 2

/** Returns what a drawing shows now. */
export function pictureOf(sigma: Sigma, { ground, text, font }: Colours): Picture {
  const graph = sigma.getGraph()
  const labelled = sigma.getNodeDisplayedLabels()
  const placeOf = (node: string) => {
    const { x, y } = graph.getNodeAttributes(node)
    return sigma.graphToViewport({ x: Number(x), y: Number(y) })
  }
  const lines = graph.mapEdges((edge, _attributes, from, to) => {
    const shown = sigma.getEdgeDisplayData(edge)
    if (!shown || shown.hidden) return []
    return [{ from: placeOf(from), to: placeOf(to), colour: shown.color, width: shown.size }]
  })
  const discs = graph.mapNodes(node => {
    const shown = sigma.getNodeDisplayData(node)
    if (!shown || shown.hidden) return []
    const label = labelled.has(node) ? (shown.label ?? undefined) : undefined
    return [{ ...placeOf(node), radius: sigma.scaleSize(shown.size), colour: shown.color, label }]
  })
  return { ...sigma.getDimensions(), ground, text, font, lines: lines.flat(), discs: discs.flat() }
}

/** Writes a picture as SVG. */
export function svgOf({ width, height, ground, text, font, lines, discs }: Picture): Blob {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    ...lines.map(
      ({ from, to, colour, width: thick }) =>
        `<line x1="${short(from.x)}" y1="${short(from.y)}" x2="${short(to.x)}" y2="${short(to.y)}" stroke="${colour}" stroke-width="${thick}"/>`,
    ),
    ...discs.map(
      ({ x, y, radius, colour }) =>
        `<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${colour}"/>`,
    ),
    `<g font-family="${escaped(font)}" font-size="${labelSize}" fill="${text}" stroke="${ground}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">`,
    ...discs.flatMap(({ x, y, radius, label }) =>
      label === undefined
        ? []
        : [`<text x="${short(x + radius + 3)}" y="${short(y + labelSize / 3)}">${escaped(label)}</text>`],
    ),
    '</g></svg>',
  ]
  return new Blob([parts.join('\n')], { type: 'image/svg+xml' })
}

function short(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Names come from others; in a file they must stay text. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/gu, sign => entities[sign] ?? '').replaceAll(/\p{Cc}/gu, ' ')
}

interface Name {
  label: string
  x: number
  y: number
}

/** Paints a name with an outline, so that it can be read over other entities. */
export function paintName(
  pen: CanvasRenderingContext2D,
  { label, x, y }: Name,
  { ground, text, font }: Colours,
): void {
  pen.font = `${labelSize}px ${font}`
  pen.lineWidth = 3
  pen.lineJoin = 'round'
  pen.strokeStyle = ground
  pen.strokeText(label, x, y)
  pen.fillStyle = text
  pen.fillText(label, x, y)
}

/** Paints a picture as PNG. @throws Error if the browser cannot */
export function pngOf({ width, height, ground, text, font, lines, discs }: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = width * sharpness
  canvas.height = height * sharpness
  const pen = canvas.getContext('2d')
  if (!pen) return Promise.reject(new Error('this browser cannot paint pictures; save as SVG'))
  pen.scale(sharpness, sharpness)
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  for (const { from, to, colour, width: thick } of lines) {
    pen.strokeStyle = colour
    pen.lineWidth = thick
    pen.beginPath()
    pen.moveTo(from.x, from.y)
    pen.lineTo(to.x, to.y)
    pen.stroke()
  }
  for (const { x, y, radius, colour } of discs) {
    pen.fillStyle = colour
    pen.beginPath()
    pen.arc(x, y, radius, 0, 2 * Math.PI)
    pen.fill()
  }
  for (const { x, y, radius, label } of discs)
    if (label !== undefined)
      paintName(pen, { label, x: x + radius + 3, y: y + labelSize / 3 }, { ground, text, font })
  return new Promise((made, failed) => {
    canvas.toBlob(blob =>
      blob ? made(blob) : failed(new Error('the picture is too large; save as SVG or zoom in')),
    )
  })
}
