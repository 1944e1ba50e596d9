import type UndirectedGraph from 'graphology'
import forceAtlas2, { type ForceAtlas2Settings } from 'graphology-layout-forceatlas2'
import { graphToByteArrays } from 'graphology-layout-forceatlas2/helpers'

/** A graph as numbers, in the form of the library. */
export interface Arrangement {
  nodes: Float32Array
  edges: Float32Array
  settings: ForceAtlas2Settings
  steps: number
}

interface ArrangeOptions {
  /** True if nobody shall see the movement. */
  isStill: boolean
  onSettled: () => void
  signal: AbortSignal
}

/** Steps until the places hardly change. */
const steps = 400
/** Numbers per entity, of which the first two are its place. */
const perNode = 10
/** Radius of the ring in shares of the arranged part. */
const ringShare = 1.2
const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/** Returns places on a spiral, the first ones in the middle. They are the same for the same graph. */
export function firstPlaces(count: number): { x: number; y: number }[] {
  return Array.from({ length: count }, (_, position) => {
    const radius = 10 * Math.sqrt(position + 0.5)
    return { x: radius * Math.cos(position * goldenAngle), y: radius * Math.sin(position * goldenAngle) }
  })
}

/**
 * Moves entities to places near their neighbours. It calculates in a worker of our own, as the one of the
 * library comes from a text, which the content security policy forbids.
 */
export function arrange(graph: UndirectedGraph, { isStill, onSettled, signal }: ArrangeOptions): void {
  const worker = new Worker(new URL('./arrange-worker.ts', import.meta.url), { type: 'module' })
  const stop = (): void => worker.terminate()
  signal.addEventListener('abort', stop)
  worker.onmessage = ({
    data: { nodes, isLast },
  }: MessageEvent<{ nodes: Float32Array; isLast: boolean }>) => {
    if (!isStill || isLast) place(graph, nodes)
    if (!isLast) return
    stop()
    onSettled()
  }
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    // Without it entities without relations drift away, and the rest becomes a small heap in the middle.
    strongGravityMode: true,
    gravity: 0.12,
    barnesHutOptimize: graph.order > 500,
    barnesHutTheta: 0.9,
  }
  const arrangement: Arrangement = { ...graphToByteArrays(graph, () => 1), settings, steps }
  worker.postMessage(arrangement)
}

/**
 * Gives each entity its place, except those that were dragged. Those without relations are in a ring around
 * the others: nothing would keep them near.
 */
function place(graph: UndirectedGraph, nodes: Float32Array): void {
  let at = -perNode
  let alone = 0
  const isAlone = (id: string): boolean => graph.degree(id) === 0
  const ring = radiusOf(graph, nodes, isAlone)
  const count = graph.filterNodes(isAlone).length
  graph.updateEachNodeAttributes(
    (id, attributes) => {
      at += perNode
      const angle = isAlone(id) ? (alone++ / count) * 2 * Math.PI : undefined
      if (attributes.fixed) return attributes
      if (angle !== undefined && ring > 0)
        return { ...attributes, x: ring * Math.cos(angle), y: ring * Math.sin(angle) }
      return { ...attributes, x: nodes[at], y: nodes[at + 1] }
    },
    { attributes: ['x', 'y'] },
  )
}

/** The radius of a ring around all entities with relations; 0 if there are none. */
function radiusOf(graph: UndirectedGraph, nodes: Float32Array, isAlone: (id: string) => boolean): number {
  let [at, largest] = [-perNode, 0]
  graph.forEachNode(id => {
    at += perNode
    if (!isAlone(id)) largest = Math.max(largest, Math.hypot(nodes[at] ?? 0, nodes[at + 1] ?? 0))
  })
  return largest * ringShare
}
