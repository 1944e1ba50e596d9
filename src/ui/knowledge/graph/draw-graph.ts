import UndirectedGraph from 'graphology'
import Sigma from 'sigma'
import type { NodeLabelDrawingFunction } from 'sigma/rendering'
import type { Settings } from 'sigma/settings'
import { clip } from '../../../lib/text/clip.js'
import { watchColours } from '../../parts/colours.js'
import { arrange, firstPlaces } from './arrange.js'
import { colouredKinds } from './graph-data.js'
import { labelSize, type Picture, paintName, pictureOf } from './picture.js'

export interface DrawnEntity {
  id: string
  name: string
  mentions: number | null
  /** Number of its colour, see `kindsOf`. */
  kind: number
}

export interface DrawnLink {
  id: string
  from: string
  to: string
  relation: string
}

interface DrawnData {
  entities: readonly DrawnEntity[]
  links: readonly DrawnLink[]
}

interface DrawOptions {
  /** Called with the entity under the pointer and its place in the box; undefined if there is none. */
  onPoint: (pointed: { id: string; x: number; y: number } | undefined) => void
  /** Called with a clicked entity; undefined for the ground. */
  onChoose: (id: string | undefined) => void
  /** Called when the entities have found their places. */
  onSettled: () => void
  signal: AbortSignal
}

/** The entities that are visible, by their filters, and the one that keeps its colour with its neighbours. */
export interface Selection {
  ids: ReadonlySet<string>
  focus: string | undefined
}

export interface WholeGraph {
  show(selection: Selection): void
  zoom(step: 'in' | 'out' | 'all'): void
  /** The visible part, for a file. */
  picture(): Picture
  destroy(): void
}

interface Colours {
  kinds: readonly string[]
  text: string
  line: string
  faint: string
  ground: string
  font: string
}

const smallest = 3
const largest = 18
/** Up to this number entities have their full size. */
const roomy = 300
/** Up to this number of neighbours all have their names. */
const mostNamed = 40
/** Share of the graph that is visible around a chosen entity. */
const nearRatio = 0.4
const zoomMs = 200

/** The state of a drawing, from which each entity and relation gets its look. */
interface Look extends Selection {
  colours: Colours
  /** The focus and its neighbours. */
  near: ReadonlySet<string>
}

/** Draws a whole graph. Entities find their places before the eyes, or at once with reduced motion. */
export function drawGraph(box: HTMLElement, data: DrawnData, options: DrawOptions): WholeGraph {
  const graph = graphOf(data)
  const ids = new Set(data.entities.map(({ id }) => id))
  const look: Look = { ids, focus: undefined, colours: coloursOf(box), near: new Set() }
  const sigma = new Sigma(graph, box, {
    allowInvalidContainer: true,
    labelDensity: 0.8,
    labelGridCellSize: 130,
    labelRenderedSizeThreshold: 5,
    zIndex: true,
    hideEdgesOnMove: graph.size > 1000,
    minCameraRatio: 0.02,
    maxCameraRatio: 4,
    ...reducersOf(graph, look),
    ...inColours(look.colours),
  })
  const stopWatching = watchColours(box, () => {
    look.colours = coloursOf(box)
    sigma.setSettings(inColours(look.colours))
  })
  let clicked: string | undefined
  const onChoose = (id: string | undefined): void => {
    clicked = id
    options.onChoose(id)
  }
  listen(sigma, graph, { ...options, onChoose })
  const onSettled = (): void => {
    options.onSettled()
    const { focus } = look
    // Its place is known once it is drawn there.
    if (focus !== undefined && focus !== clicked) sigma.once('afterRender', () => goTo(sigma, focus))
  }
  arrange(graph, { ...options, onSettled, isStill: isStill() })
  return {
    show: ({ ids: visible, focus }) => {
      const isKnown = focus !== undefined && graph.hasNode(focus)
      if (isKnown && focus !== look.focus && focus !== clicked) goTo(sigma, focus)
      look.ids = visible
      look.focus = isKnown ? focus : undefined
      look.near = new Set(isKnown ? [focus, ...graph.neighbors(focus)] : [])
      sigma.refresh()
    },
    zoom: step => {
      const camera = sigma.getCamera()
      if (step === 'all') void camera.animatedReset(motion())
      else if (step === 'in') void camera.animatedZoom(motion())
      else void camera.animatedUnzoom(motion())
    },
    picture: () => pictureOf(sigma, look.colours),
    destroy: () => {
      stopWatching()
      sigma.kill()
    },
  }
}

/** Entities out of focus fade, and only relations of the focus stay. */
function reducersOf(
  graph: UndirectedGraph,
  look: Look,
): Required<Pick<Settings, 'nodeReducer' | 'edgeReducer'>> {
  const isFaint = (id: string): boolean => look.focus !== undefined && !look.near.has(id)
  return {
    nodeReducer: (id, { kind, label, ...place }) => ({
      ...place,
      color: isFaint(id) ? look.colours.faint : (look.colours.kinds[kind] ?? look.colours.line),
      label: isFaint(id) ? null : String(label),
      forceLabel: id === look.focus || (look.near.size <= mostNamed && look.near.has(id)),
      hidden: !look.ids.has(id),
      zIndex: isFaint(id) ? 0 : 1,
    }),
    edgeReducer: id => {
      const [from, to] = graph.extremities(id)
      const isNear = from === look.focus || to === look.focus
      return {
        hidden: !look.ids.has(from) || !look.ids.has(to) || (look.focus !== undefined && !isNear),
        color: isNear ? look.colours.text : look.colours.line,
        size: isNear ? 1.5 : 0.7,
      }
    },
  }
}

/** Moves the camera to an entity that was chosen elsewhere. */
function goTo(sigma: Sigma, id: string): void {
  const place = sigma.getNodeDisplayData(id)
  const camera = sigma.getCamera()
  if (place)
    void camera.animate({ x: place.x, y: place.y, ratio: Math.min(nearRatio, camera.ratio) }, motion())
}

function motion(): { duration: number } {
  return { duration: isStill() ? 1 : zoomMs }
}

/** A longer name covers its neighbours; the list beside the graph has it whole. */
const longestLabel = 28

/** True if the user wants no motion. */
function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function graphOf({ entities, links }: DrawnData): UndirectedGraph {
  const graph = new UndirectedGraph({ multi: true })
  const most = Math.max(1, ...entities.map(({ mentions }) => mentions ?? 0))
  const places = firstPlaces(entities.length)
  // The more there are, the less room has each.
  const scale = Math.max(0.5, Math.min(1, Math.sqrt(roomy / entities.length)))
  for (const [position, { id, name, kind, mentions }] of entities.entries()) {
    const size = scale * (smallest + (largest - smallest) * Math.sqrt((mentions ?? 0) / most))
    graph.addNode(id, { ...places[position], size, label: clip(name, longestLabel), kind })
  }
  for (const { id, from, to } of links) graph.addEdgeWithKey(id, from, to)
  return graph
}

/** Reads the colours of the style sheet, which depend on the colour scheme. */
function coloursOf(box: HTMLElement): Colours {
  const probe = document.createElement('span')
  box.append(probe)
  const read = (name: string): string => {
    probe.className = name
    return getComputedStyle(probe).color
  }
  const style = getComputedStyle(box)
  const colours = {
    kinds: Array.from({ length: colouredKinds + 1 }, (_, kind) => read(`kind-${kind}`)),
    text: style.color,
    line: style.borderTopColor,
    faint: read('kind-faint'),
    ground: style.backgroundColor,
    font: style.fontFamily,
  }
  probe.remove()
  return colours
}

function inColours(colours: Colours) {
  const drawName: NodeLabelDrawingFunction = (pen, { label, x, y, size }) => {
    if (label) paintName(pen, { label, x: x + size + 3, y: y + labelSize / 3 }, colours)
  }
  // The default for the entity under the pointer draws a white box even in the dark scheme.
  return { defaultEdgeColor: colours.line, defaultDrawNodeLabel: drawName, defaultDrawNodeHover: drawName }
}

/** Hover, click and drag. A dragged entity stays where it was put. */
function listen(sigma: Sigma, graph: UndirectedGraph, { onPoint, onChoose }: DrawOptions): void {
  let dragged: string | undefined
  sigma.on('enterNode', ({ node }) => {
    const { x, y } = sigma.graphToViewport(graph.getNodeAttributes(node) as { x: number; y: number })
    sigma.getContainer().classList.add('on-entity')
    if (dragged === undefined) onPoint({ id: node, x, y })
  })
  sigma.on('leaveNode', () => {
    sigma.getContainer().classList.remove('on-entity')
    onPoint(undefined)
  })
  sigma.on('clickNode', ({ node }) => onChoose(node))
  sigma.on('clickStage', () => onChoose(undefined))
  sigma.on('downNode', ({ node }) => {
    dragged = node
    // Without it the whole picture would be scaled to its new outline at each step.
    if (!sigma.getCustomBBox()) sigma.setCustomBBox(sigma.getBBox())
  })
  sigma.on('moveBody', ({ event }) => {
    if (dragged === undefined) return
    graph.mergeNodeAttributes(dragged, { ...sigma.viewportToGraph(event), fixed: true })
    onPoint(undefined)
    event.preventSigmaDefault()
    event.original.preventDefault()
  })
  const drop = (): void => {
    dragged = undefined
  }
  sigma.on('upNode', drop)
  sigma.on('upStage', drop)
}
