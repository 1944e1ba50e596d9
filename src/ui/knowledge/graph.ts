import UndirectedGraph from 'graphology'
import Sigma from 'sigma'
import { drawDiscNodeLabel } from 'sigma/rendering'
import { call } from '../api/call.js'
import { watchColours } from '../parts/colours.js'
import { placeAround } from './place-around.js'

export interface Graph {
  /** Loads the neighbours of an entity. */
  expand(id: string): Promise<void>
  destroy(): void
}

/** The drawn graph and the entity clicked last. */
export interface DrawnGraph {
  entities: readonly EntityName[]
  relations: number
  /** True if the clicked entity has more neighbours than are drawn. */
  isCut: boolean
  last: EntityName & { type: string }
}

interface EntityName {
  id: string
  name: string
}

interface GraphOptions {
  onDrawn(drawn: DrawnGraph): void
  onFailure(error: unknown): void
  signal: AbortSignal
}

/** A larger graph is unreadable, and its layout does not settle. */
const maxNodes = 1000

/** Draws a graph of entities and relations, starting from one entity. */
export function drawGraph(
  box: HTMLElement,
  root: string,
  { onDrawn, onFailure, signal }: GraphOptions,
): Graph {
  const graph = new UndirectedGraph({ multi: true })
  graph.addNode(root, { x: 0, y: 0, size: 12, label: '…' })
  const sigma = new Sigma(graph, box, {
    allowInvalidContainer: true,
    labelSize: 13,
    renderEdgeLabels: true,
    // The default draws a white box even in the dark scheme.
    defaultDrawNodeHover: drawDiscNodeLabel,
    ...coloursOf(box),
  })
  const stopWatching = watchColours(box, () => sigma.setSettings(coloursOf(box)))
  const expand = async (id: string): Promise<void> => {
    const request = { params: { id }, query: { limit: maxNodes } }
    const around = await call('GET /api/ontology/entities/:id/neighbourhood', request, { signal })
    const fresh = around.nodes.filter(node => !graph.hasNode(node.id))
    const drawn = fresh.slice(0, maxNodes - graph.order)
    const { x, y } = graph.getNodeAttributes(id) as { x: number; y: number }
    const places = placeAround({ x, y }, drawn.length)
    for (const [position, { id: one, name: label }] of drawn.entries())
      graph.addNode(one, { ...places[position], size: 8, label })
    for (const { id: link, from, to, relation } of around.links)
      if (graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(link))
        graph.addEdgeWithKey(link, from, to, { label: relation })
    const last = around.nodes.find(node => node.id === id)
    if (!last) return
    graph.mergeNodeAttributes(id, { label: last.name, size: 12 })
    onDrawn({
      entities: graph.mapNodes((one, { label }) => ({ id: one, name: String(label) })),
      relations: graph.size,
      isCut: around.truncated || drawn.length < fresh.length,
      last,
    })
  }
  sigma.on('clickNode', ({ node }) => {
    expand(node).catch(onFailure)
  })
  const destroy = (): void => {
    stopWatching()
    sigma.kill()
  }
  return { expand, destroy }
}

function coloursOf(box: HTMLElement) {
  const { color, fontFamily, borderTopColor } = getComputedStyle(box)
  const text = { color: getComputedStyle(document.body).color }
  return {
    defaultNodeColor: color,
    labelColor: text,
    labelFont: fontFamily,
    edgeLabelColor: text,
    edgeLabelFont: fontFamily,
    defaultEdgeColor: borderTopColor,
  }
}
