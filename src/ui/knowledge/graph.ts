import UndirectedGraph from 'graphology'
import Sigma from 'sigma'
import { drawDiscNodeLabel } from 'sigma/rendering'
import { call } from '../api/call.js'

export interface Graph {
  /** Brings what is around an entity. */
  expand(id: string): Promise<void>
  destroy(): void
}

interface GraphOptions {
  /** Told in words what is shown. */
  onChange: (told: string) => void
  signal: AbortSignal
}

/** More than that nobody can read, and no picture of it settles. */
const maxNodes = 1000
const ring = 10

/** Draws entities and relations, from one entity on. */
export function drawGraph(box: HTMLElement, root: string, { onChange, signal }: GraphOptions): Graph {
  const graph = new UndirectedGraph({ multi: true })
  const style = getComputedStyle(box)
  const colour = style.color
  const textColour = getComputedStyle(document.body).color
  graph.addNode(root, { x: 0, y: 0, size: 12, label: '…', color: colour })
  const sigma = new Sigma(graph, box, {
    allowInvalidContainer: true,
    labelColor: { color: textColour },
    labelFont: style.fontFamily,
    labelSize: 13,
    defaultEdgeColor: style.borderTopColor,
    // Its own draws a white box, whatever the scheme.
    defaultDrawNodeHover: drawDiscNodeLabel,
  })
  const expand = async (id: string): Promise<void> => {
    const { entity, links } = await call('GET /api/ontology/entities/:id', { params: { id } }, { signal })
    graph.mergeNodeAttributes(id, { label: entity.name })
    const { x, y } = graph.getNodeAttributes(id) as { x: number; y: number }
    const fresh = links.filter(link => !graph.hasNode(link.entity.id)).length
    const turn = (2 * Math.PI) / Math.max(1, fresh)
    let placed = 0
    for (const link of links) {
      if (!graph.hasNode(link.entity.id)) {
        if (graph.order >= maxNodes) continue
        // Each ring starts where its centre lies from the root, so that rings do not cover each other.
        const angle = Math.atan2(y, x) + turn * placed++
        const at = { x: x + ring * Math.cos(angle), y: y + ring * Math.sin(angle) }
        graph.addNode(link.entity.id, { ...at, size: 8, label: link.entity.name, color: colour })
      }
      if (!graph.hasEdge(link.id)) graph.addEdgeWithKey(link.id, id, link.entity.id, { label: link.relation })
    }
    const isFull = graph.order >= maxNodes ? ' (no more than these are drawn)' : ''
    onChange(`${graph.order} entities, ${graph.size} relations${isFull}.`)
  }
  sigma.on('clickNode', ({ node }) => {
    expand(node).catch(() => onChange('This entity could not be loaded; click again.'))
  })
  return { expand, destroy: () => sigma.kill() }
}
